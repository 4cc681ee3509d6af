# SPDX-License-Identifier: Apache-2.0
"""The layers that networks are made of, each under several ops and modes: an implementation has fast paths for them, and
a fault there shows in no other layer. Widths differ in their remainders by 4, 8 and 16; planes rise to their corners, so
that each corner of a window wins somewhere."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, Iterator, List, NamedTuple, Sequence

from derived import out_sizes
from drafts import Drafts, Json

FLOATS = "f64 f32 f16 bf16"
WHOLE = "i8 i32 i64"
LEADS = ([1], [], [1, 1], [2])
EVERYWHERE = 7  # so many of the first layers come under all ops and modes
WIDTHS = (9, 11, 17, 10, 13, 12, 19, 15, 14, 18, 16, 8)


class Layer(NamedTuple):
    name: str
    note: str
    attrs: Json
    extents: Any = ()  # where the widths above do not suit: one per variant

    @property
    def rank(self) -> int:
        return self.attrs.get("spatial_rank") or len(self.attrs.get("kernel") or self.attrs["output_size"])

    @property
    def family(self) -> str:
        return "adaptive_" if "output_size" in self.attrs else "global_" if "spatial_rank" in self.attrs else ""


def noise(seed: int, values: Sequence[int]) -> Iterator[int]:
    """Values in no order, the same ones for the same seed."""
    state = seed * 7919 + 12345
    while True:
        state = (state * 1103515245 + 12345) % 2**31
        yield values[(state >> 13) % len(values)]


def taken(count: int, seed: int, values: Sequence[int]) -> List[int]:
    source = noise(seed, values)
    return [next(source) for _ in range(count)]


def bowls(slices: int, extents: Sequence[int], seed: int) -> List[int]:
    """Slices whose corners are highest, so that each corner of a window wins somewhere; the odd ones below 0."""
    rough = noise(seed, (0, 0, 1, 2))
    cells: List[int] = []
    for s in range(slices):
        low = s % 2 * (3 + 2 * sum(extents)) + seed % 3
        for place in product(*map(range, extents)):
            cells.append(sum(abs(2 * i - n + 1) for i, n in zip(place, extents)) + next(rough) - low)
    return cells


def extents_of(layer: Layer, variant: int, narrow: bool) -> List[int]:
    """Of an input whose outputs are a few rows of one of WIDTHS, or of half of it."""
    if layer.extents:
        return list(layer.extents[-1 if narrow else variant % len(layer.extents)])
    number = sum(map(ord, layer.name)) + variant
    attrs, r = layer.attrs, []
    for axis in range(layer.rank):
        wide = axis == layer.rank - 1
        outs = WIDTHS[number % len(WIDTHS)] if wide else 2 + number % 2
        outs = max(outs // 2, 4) if narrow and wide else min(outs, 2) if narrow else outs
        stride = attrs.get("stride", attrs["kernel"])[axis]
        pads = attrs.get("pad_begin", [0] * layer.rank)[axis]
        pads += attrs.get("pad_end", attrs.get("pad_begin", [0] * layer.rank))[axis]
        reach = attrs.get("dilation", [1] * layer.rank)[axis] * (attrs["kernel"][axis] - 1) + 1
        over = (number // 2) % stride  # cells that are left over, or that ceil_mode takes in
        r.append(max((outs - 1) * stride + (1 if "auto_pad" in attrs else reach - pads + over), 1))
    return r


def volume(layer: Layer, extents: Sequence[int]) -> int:
    """What divides every divisor of the layer's windows."""
    if layer.family == "global_":
        return math.prod(extents)
    if layer.family == "adaptive_":
        return math.prod(math.lcm(*(-(-((i + 1) * n) // m) - i * n // m for i in range(m)))
                         for n, m in zip(extents, layer.attrs["output_size"]))
    return math.prod(layer.attrs["kernel"])


def boxes(kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int] = (), **more) -> Json:
    return {"kernel": list(kernel), "stride": list(stride), **({"pad_begin": list(pad)} if any(pad) else {}), **more}


def even(rank: int, kernel: int, stride: int, pad: int = 0, **more) -> Json:
    return boxes([kernel] * rank, [stride] * rank, [pad] * rank, **more)


def layers() -> List[Layer]:
    up = {"ceil_mode": True}
    r = [
        Layer("2d-2-2", "VGG's", even(2, 2, 2)),  # EVERYWHERE begins here
        Layer("2d-3-2-1", "ResNet's", even(2, 3, 2, 1)),
        Layer("2d-3-1-1", "Inception's", even(2, 3, 1, 1)),
        Layer("2d-3-2", "AlexNet's", even(2, 3, 2)),
        Layer("2d-3-2-ceil", "SqueezeNet's", even(2, 3, 2, **up)),
        Layer("2d-7-7", "The last of ResNet's", even(2, 7, 7), [(7, 21), (9, 15), (7, 7)]),
        Layer("3d-2-2", "C3D's", even(3, 2, 2), [(4, 2, 18), (3, 4, 9), (2, 4, 7)]),  # and ends here
        Layer("1d-2-2", "A sequence's", even(1, 2, 2)),
        Layer("1d-3-2-1", "A sequence's", even(1, 3, 2, 1)),
        Layer("2d-2-2-ceil", "A U-Net's", even(2, 2, 2, **up)),
        Layer("2d-3-2-1-ceil", "Caffe's", even(2, 3, 2, 1, **up)),
        Layer("2d-3-3", "", even(2, 3, 3)),
        Layer("2d-3-3-1", "", even(2, 3, 3, 1)),
        Layer("2d-3-1", "", even(2, 3, 1)),
        Layer("2d-2-1", "", even(2, 2, 1)),
        Layer("2d-4-4", "", even(2, 4, 4), [(5, 38), (8, 37), (5, 13)]),
        Layer("2d-4-2-1", "A discriminator's", even(2, 4, 2, 1)),
        Layer("2d-5-1-2", "YOLO's", even(2, 5, 1, 2)),
        Layer("2d-5-2-2", "", even(2, 5, 2, 2)),
        Layer("2d-5-3-2", "", even(2, 5, 3, 2)),
        Layer("2d-5-3", "The side of GoogLeNet's", even(2, 5, 3)),
        Layer("2d-7-1", "", even(2, 7, 1), [(7, 15), (8, 9), (7, 8)]),
        Layer("2d-7-2-3", "", even(2, 7, 2, 3)),
        Layer("2d-8-1", "The last of Inception's", even(2, 8, 1), [(8, 8), (9, 12)]),
        Layer("2d-8-8", "", even(2, 8, 8), [(8, 17), (8, 8)]),
        Layer("2d-9-1-4", "The middle of SPP's", even(2, 9, 1, 4), [(5, 13), (9, 7), (4, 9)]),
        Layer("2d-13-1-6", "The widest of SPP's", even(2, 13, 1, 6), [(7, 9), (4, 14), (4, 10)]),
        Layer("2d-14-14", "", even(2, 14, 14), [(14, 14)]),
        Layer("2d-1-2", "A shortcut's", even(2, 1, 2)),
        Layer("2d-2-2-1", "", even(2, 2, 2, 1)),
        Layer("2d-3-2-same", "TensorFlow's", even(2, 3, 2, auto_pad="same_upper"), [(5, 18), (6, 21), (4, 11)]),
        Layer("2d-2-2-same", "TensorFlow's", even(2, 2, 2, auto_pad="same_upper"), [(5, 17), (4, 23), (3, 9)]),
        Layer("2d-3-1-same", "TensorFlow's", even(2, 3, 1, auto_pad="same_upper"), [(3, 17), (4, 11)]),
        Layer("2d-3-2-same-lower", "", even(2, 3, 2, auto_pad="same_lower"), [(4, 18), (5, 22), (4, 12)]),
        Layer("2d-3-2-valid", "", even(2, 3, 2, auto_pad="valid"), [(5, 19), (6, 26), (3, 12)]),
        Layer("2d-3-2-end", "A TensorFlow's in PyTorch", even(2, 3, 2, pad_begin=[0, 0], pad_end=[1, 1])),
        Layer("2d-3-1-dilated", "DeepLab's", even(2, 3, 1, 2, dilation=[2, 2])),
        Layer("2d-2-2-dilated", "", even(2, 2, 2, 0, dilation=[2, 2])),
        Layer("2d-rows", "A text recogniser's", boxes([2, 1], [2, 1])),
        Layer("2d-rows-overlap", "A text recogniser's", boxes([2, 2], [2, 1], [0, 1])),
        Layer("2d-columns", "A spectrogram's", boxes([1, 3], [1, 2])),
        Layer("2d-column", "", boxes([3, 1], [1, 1], [1, 0])),
        Layer("1d-3-1-1", "", even(1, 3, 1, 1), [(33,), (18,), (23,)]),
        Layer("1d-2-1", "", even(1, 2, 1), [(34,), (18,)]),
        Layer("1d-4-4", "", even(1, 4, 4), [(45,), (22,)]),
        Layer("1d-3-3", "", even(1, 3, 3), [(35,), (20,)]),
        Layer("1d-5-1-2", "", even(1, 5, 1, 2), [(34,), (23,)]),
        Layer("1d-5-5", "", even(1, 5, 5), [(54,), (31,)]),
        Layer("1d-7-3-3", "", even(1, 7, 3, 3), [(52,), (28,)]),
        Layer("1d-8-8", "", even(1, 8, 8), [(75,), (43,)]),
        Layer("1d-10-5", "", even(1, 10, 5), [(63,), (38,)]),
        Layer("1d-25-1-12", "A trend's", even(1, 25, 1, 12), [(37,), (26,)]),
        Layer("1d-3-2-same", "", even(1, 3, 2, auto_pad="same_upper"), [(34,), (21,)]),
        Layer("1d-3-1-causal", "", even(1, 3, 1, pad_begin=[1], pad_end=[0]), [(21,)]),
        Layer("1d-3-1-dilated", "", even(1, 3, 1, 1, dilation=[4]), [(35,), (22,)]),
        Layer("1d-3-2-ceil", "", even(1, 3, 2, **up), [(36,), (20,)]),
        Layer("3d-2-2-ceil", "", even(3, 2, 2, **up), [(3, 3, 17), (3, 3, 9)]),
        Layer("3d-1-2-2", "The first of C3D's", boxes([1, 2, 2], [1, 2, 2]), [(2, 4, 17), (2, 4, 7)]),
        Layer("3d-3-2-1", "A 3D ResNet's", even(3, 3, 2, 1), [(3, 4, 17), (4, 3, 10), (3, 3, 6)]),
        Layer("3d-1-3-3", "I3D's", boxes([1, 3, 3], [1, 2, 2], [0, 1, 1]), [(2, 4, 18), (2, 3, 8)]),
        Layer("3d-3-1-1", "I3D's", even(3, 3, 1, 1), [(2, 3, 10), (3, 2, 9), (2, 2, 6)]),
        Layer("3d-3-2", "", even(3, 3, 2), [(3, 5, 19), (3, 3, 8)]),
        Layer("3d-2-7-7", "The last of I3D's", boxes([2, 7, 7], [1, 1, 1]), [(2, 7, 8), (2, 7, 7)]),
        Layer("1d-4-2-1-ceil", "", even(1, 4, 2, 1, **up), [(18,), (9,)]),
        Layer("3d-3-2-1-ceil", "", even(3, 3, 2, 1, **up), [(2, 4, 9), (3, 4, 5)]),
        Layer("4d-2-2", "", even(4, 2, 2), [(2, 2, 3, 9)]),
        Layer("4d-3-1-1", "", even(4, 3, 1, 1), [(2, 2, 2, 5)]),
        Layer("4d-2-1-3-2", "", boxes([2, 1, 3, 2], [1, 2, 1, 2], [1, 0, 1, 0]), [(2, 3, 3, 6)]),
    ]
    for outs, extents in (((1, 1), [(7, 7), (4, 9)]), ((7, 7), [(9, 11), (8, 14)]), ((3, 5), [(7, 13), (5, 5)]),
                          ((6, 6), [(7, 13), (6, 9)]), ((1, 7), [(4, 17), (3, 7)]), ((4, 1), [(9, 9), (4, 11)]),
                          ((2, 2), [(5, 9)]),
                          ((4, 9), [(4, 9), (8, 9)]), ((5, 3), [(3, 2), (3, 8)]), ((1,), [(33,), (17,)]),
                          ((4,), [(18,), (31,)]),
                          ((9,), [(34,), (7,)]), ((17,), [(49,), (41,)]), ((1, 1, 1), [(3, 4, 5)]),
                          ((2, 2, 2), [(3, 4, 9), (3, 5, 4)]), ((1, 3, 3), [(4, 5, 7)]), ((2, 1, 2, 3), [(3, 2, 3, 4)])):
        r.append(Layer(f"{len(outs)}d-to-{'-'.join(map(str, outs))}", "", {"output_size": list(outs)}, extents))
    for extents in ((7, 7), (8, 8), (6, 11), (9, 1), (1, 19), (14, 14), (37,), (64,), (3, 4, 5), (2, 7, 7),
                    (2, 3, 2, 3), (2, 2, 3, 2, 2),
                    (2, 1, 2, 2, 1, 3)):
        r.append(Layer("global-" + "-".join(map(str, extents)), "", {"spatial_rank": len(extents)}, [extents]))
    return r


class Maker:
    """Drafts of one layer."""

    def __init__(self, d: Drafts, layer: Layer, number: int) -> None:
        self.d, self.layer, self.number = d, layer, number

    def add(self, op: str, mode: str, variant: int, dtypes: str, values: Sequence[int] = (), word: str = "",
            profile: str = "", **attrs) -> None:
        """Noise of `values`, or bowls."""
        layer, seed = self.layer, 8 * self.number + variant
        extents = extents_of(layer, variant, narrow=mode != "forward" or op == "smooth")
        lead = LEADS[seed % (len(LEADS) if mode == "forward" and op != "smooth" else 3)]
        shape, slices = [*lead, *extents], math.prod(lead)
        count = math.prod(shape)
        rounded = dtypes != WHOLE
        if op == "avg" and not rounded:  # whole means, which every profile decides
            values = [volume(layer, extents) * x for x in (-7, -4, -3, -1, 1, 2, 5, 6)]
            dtypes = dtypes if max(values) < 2**7 and min(values) >= -2**7 else "i32 i64"
        cells = taken(count, seed, values) if values else bowls(slices, extents, seed)
        outs = [1] * layer.rank if layer.family == "global_" else out_sizes({"stride": layer.attrs.get("kernel"),
                                                                             **layer.attrs},
                                                                         extents, False)
        more: Json = {}
        direction = (-9, -7, -5, -3, -2, 1, 2, 3, 4, 6, 8)
        if mode == "jvp":
            more["tangent"] = taken(count, seed + 5, direction)
        elif mode == "vjp":
            more["cotangent"] = taken(slices * math.prod(outs), seed + 3, direction)
        asks = {**layer.attrs, **({"beta": attrs.pop("beta", 0.5).hex()} if op == "smooth" else {}), **attrs}
        name = f"layer-{layer.name}-{op}{word}" + ("" if mode == "forward" else f"-{mode}")
        note = f"{layer.note or 'A'} layer" if not layer.family else "Bins that networks ask for" if "output" in str(layer.attrs) \
            else "A whole plane"
        self.d.add(name, "layers", None, "fast_path", f"{note}, on {' by '.join(map(str, extents))}.",
                   {"smooth": "smooth_max_pool"}.get(op, f"{layer.family}{op}_pool"), asks, cells, dtypes=dtypes,
                   sizes=shape,
                   outs=[*lead, *outs], profiles=[profile] if profile else None, **more)


def typical(d: Drafts) -> None:
    """The first ones under all there is; of the others one forward, and one derivative of the other op."""
    ties, small = (-3, -2, -1, 0, 1, 2, 3), (-9, -6, -5, -3, -1, 2, 3, 4, 7, 8)
    floats = ("f32", "f16 bf16", "f64")
    for k, layer in enumerate(layers()):
        m = Maker(d, layer, k)
        full, padded = k < EVERYWHERE, "pad_begin" in layer.attrs
        if full:
            m.add("max", "forward", 0, FLOATS)
            m.add("avg", "forward", 2, floats[k % 3], small, "-rounded")
        if full or k % 2 == 0:
            m.add("max", "forward", 1, WHOLE, word="-whole", **({"return_indices": True} if k % 4 == 2 else {}))
        if full or k % 2 == 1:
            m.add("avg", "forward", 1, WHOLE)
        for turn, (op, mode) in enumerate((("avg", "jvp"), ("max", "vjp"), ("avg", "vjp"), ("max", "jvp"))):
            if full or turn == k % 4:
                uncounted = {"count_include_pad": False} if padded and op == "avg" and k % 3 else {}
                m.add(op, mode, 3 + turn, FLOATS if (op, mode) == ("max", "jvp") else floats[(k + turn) % 3],
                      ties if op == "max" else small, **uncounted)
        if layer.attrs.get("ceil_mode"):  # what hangs over is not divided by
            m.add("avg", ("forward", "jvp", "vjp")[k % 3], 4, floats[k % 3], small, "-clipped", "pytorch")
        if not layer.family and (full or k % 6 == 0):
            m.add("smooth", ("forward", "jvp")[k % 2], 7, ("f32", "f64")[k // 2 % 2], small)


def tiles(d: Drafts) -> None:
    """Planes of outputs that fill tiles of 8 by 8 and of 16 by 16, and begin others."""
    for word, kernel, stride, side in (("overlap", [2, 2], [1, 1], 18), ("apart", [2, 1], [2, 1], 34),
                                       ("deep", [1, 2, 2], [1, 1, 1], 10)):
        extents = [side, 18] if word == "apart" else [2, side, side] if word == "deep" else [side, side]
        attrs = {"kernel": kernel, "stride": stride}
        cells = taken(math.prod(extents), side, range(10))
        d.add(f"tiles-{word}-max", "layers", "W1", "fast_path return_indices", "Outputs of more than one tile.",
              "max_pool",
              {**attrs, "return_indices": True} if word == "apart" else attrs, cells, sizes=extents,
              dtypes=f"i8 u8 {WHOLE[3:]}")
        d.add(f"tiles-{word}-avg", "layers", "W1", "fast_path", "Outputs of more than one tile.", "avg_pool", attrs,
              [math.prod(kernel) * c for c in cells], sizes=extents, dtypes=f"i8 u8 {WHOLE[3:]}")
    cells = taken(9 * 34, 4, range(8))
    d.add("tiles-floats", "layers", "W1", "fast_path", "Outputs of more than one tile.", "max_pool",
          {"kernel": [1, 2], "stride": [1, 1]},
          cells, sizes=[9, 34], dtypes=FLOATS)
