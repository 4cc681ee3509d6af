# SPDX-License-Identifier: Apache-2.0
"""Counts that outgrow what holds them: sums of integers, divisors, windows past a block of lanes, slices, and cell numbers
past 8, 11, 12, 15 and 16 bits."""

from __future__ import annotations

import math
from typing import List

from drafts import Drafts, Json
from layers import FLOATS, noise, taken

AVERAGES = ("avg_pool", "adaptive_avg_pool", "global_avg_pool")
MAXIMA = ("max_pool", "adaptive_max_pool", "global_max_pool")


def whole_window(op: str, extents: List[int], **attrs) -> Json:
    """All of the extents in one window."""
    if op.startswith("global"):
        return {"spatial_rank": len(extents), **attrs}
    return {"output_size" if op.startswith("adaptive") else "kernel": [1] * len(extents) if op.startswith("adaptive") else extents,
            **attrs}


def sums(d: Drafts) -> None:
    """Integers that are alike have their own value for a mean, whatever the sum needs."""
    def alike(name: str, note: str, cells: List[List[int]], extents: List[int], dtypes: str, op: str) -> None:
        d.add(f"sum-{name}", "limits", "V1", "integers", note, op, whole_window(op, extents), cells,
              sizes=[len(cells), *extents], dtypes=dtypes)

    for op, extents in zip(AVERAGES, ([289], [17, 18], [23, 23])):
        n = math.prod(extents)
        alike(f"i8-{n}", f"{n} cells of 127, and of -128: past 16 bits.", [[127] * n, [-128] * n], extents, "i8", op)
    for op, extents in zip(AVERAGES, ([13, 20], [259], [16, 17])):
        n = math.prod(extents)
        alike(f"u8-{n}", f"{n} cells of 255: past 65535.", [[255] * n], extents, "u8", op)
        alike(f"u8-half-{op[:3]}", "131 cells of 255: past 32767.", [[255] * 131], [131], "u8", op)
    low, high = -2**31, 2**31 - 1
    for op, n in zip(AVERAGES, (3, 9, 5)):
        alike(f"i32-{n}", f"{n} of the greatest, and of the least: past 32 bits.", [[high] * n, [low] * n], [n], "i32",
              op)
        alike(f"i32-odd-{n}", f"{n} times 2^24+1, which binary32 does not hold.", [[2**24 + 1] * n, [-2**24 - 3] * n],
              [n], "i32 i64", op)
        alike(f"i64-{n}", f"{n} of the greatest, and of the least: past 64 bits.", [[2**63 - 1] * n, [-2**63] * n], [n],
              "i64", op)
        alike(f"i64-odd-{n}", f"{n} times 2^53+1, which binary64 does not hold.", [[2**53 + 1] * n, [-2**53 - 3] * n],
              [n], "i64", op)
    alike("i32-516", "516 of the greatest: past 2^40.", [[high] * 516], [516], "i32", "global_avg_pool")
    alike("i32-40", "40 of the greatest, and of the least.", [[high] * 40, [low] * 40], [5, 8], "i32", "avg_pool")

    def override(name: str, divisor: int, x: List[int], kernel: int, dtypes: str) -> None:
        d.add(f"sum-override-{name}", "limits", "VOver", "divisor_override integers",
              f"Whole means under a divisor of {divisor}.",
              "avg_pool", {"kernel": [kernel], "divisor_override": divisor}, x, dtypes=dtypes)

    override("300", 300, [100] * 6 + [50] * 6 + [125, 25, 100, 50, 0, 0], 6, "i8 u8 i32 i64")
    override("minus-300", -300, [100] * 6 + [50] * 6 + [-125, -25, -100, -50, 0, 0], 6, "i8 i32 i64")
    override("257", 257, [127, 127, 3, 100, 100, 57], 3, "i8 u8 i32 i64")
    override("1", 1, [5, 9, 13, 20, 30, 40], 3, "i8 u8 i32 i64")
    override("minus-1", -1, [5, 9, 13, -20, -30, -40], 3, "i8 i32 i64")
    override("65537", 65537, [65537, 65537, 131074, -65537], 2, "i32 i64")
    override("2-to-24", 2**24 + 1, [2**24 + 1, 2**25 + 2, 2**24, 1], 2, "i32 i64")
    override("large", 2**31 - 1, [2**31 - 1, 0, -2**31 + 1, 0], 2, "i32 i64")


def divisors(d: Drafts) -> None:
    """A few cells in wide padding: a divisor of any size for the price of some bytes."""
    for k, n in enumerate((257, 259, 1001, 2051, 4097, 65537)):
        pad = n // 2
        scale = 2.0 ** (math.frexp(n)[1] - 3)
        cells = [scale * c for c in (3, -5, 7, 2, -6)]
        attrs = {"kernel": [n], "stride": [1], "pad_begin": [pad]}
        more = {"cotangent": [scale * c for c in (1, 2, -3, 5,
                                                  4)]} if k % 3 == 1 else {"tangent": cells[::-1]} if k % 3 == 2 else {}
        mode = "vjp" if "cotangent" in more else "jvp" if more else ""
        d.add(f"divisor-{n}", "limits", "VPad", "padding", f"Five cells in a window of {n}.", "avg_pool", attrs, cells,
              dtypes=FLOATS if n < 4000 else "f64 f32 bf16")
        if mode:
            d.add(f"divisor-{n}-{mode}", "limits", "VPad", "padding", f"Five cells in a window of {n}.", "avg_pool",
                  attrs, cells, dtypes=FLOATS if n < 4000 else "f64 f32 bf16", **more)
    plane = {"kernel": [17, 19], "stride": [1, 1], "pad_begin": [8, 9]}
    d.add("divisor-323", "limits", "VPad", "padding", "Two rows in a window of 17 by 19.", "avg_pool", plane,
          [[96, -32, 64], [32, 160, -64]], dtypes=FLOATS)
    d.add("divisor-323-uncounted", "limits", "VReal", "uncounted_padding", "The same, by its real cells.", "avg_pool",
          {**plane, "count_include_pad": False}, [[96, -32, 64], [32, 160, -64]], dtypes=FLOATS)
    d.add("divisor-323-smooth", "limits", "SPad", "padding", "exp 0 that many times.", "smooth_max_pool",
          {**plane, "beta": 0.5.hex()}, [[6, -2], [3, 1]], dtypes="f64 f32")
    for word, flag, attrs, x in (
            ("one-window", "oversized_kernel", {"kernel": [4], "dilation": [2]}, [3, 8, 5]),
            ("overhang", "ceil_overhang", {"kernel": [3], "stride": [3], "dilation": [2], "ceil_mode": True},
             [3, 8, 5, 7, 9, 4, 6])):
        d.add(f"divisor-dilated-{word}", "limits", "VPad", f"dilation {flag}",
              "A dilated window that hangs over is divided by whole.",
              "avg_pool", attrs, x, profiles=["torchlean"], dtypes=FLOATS, level="informative")
    cells = [float(c) for c in (1, 3, -5, 7, 2, -6, 11, -13, 9, 4, 100, 60)]
    for k, (n, dtypes) in enumerate(((3, FLOATS), (-3, FLOATS), (1, FLOATS), (-1, FLOATS), (-7, FLOATS), (100, FLOATS), (257, FLOATS),
                                     (2049, FLOATS), (-300, FLOATS), (32769, "f64 f32"), (65537, "f64 f32"),
                                     (70001, "f64 f32 bf16"),
                                     (2**24 + 1, "f64"), (2**31 - 1, "f64"))):
        scale = 1.0 if abs(n) < 1000 else 2.0 ** math.frexp(n)[1] / 128
        attrs = {"kernel": [3], "stride": [2], "pad_begin": [1], "divisor_override": n}
        mode = (None, "cotangent", "tangent")[k % 3]
        x = [c * scale for c in cells]
        word = f"minus-{-n}" if n < 0 else str(n)
        d.add(f"override-{word}", "limits", "VOver", "divisor_override padding", f"A divisor of {n}.", "avg_pool",
              attrs, x,
              dtypes=dtypes)
        if mode:
            d.add(f"override-{word}-{'vjp' if k % 3 == 1 else 'jvp'}", "limits", "VOver",
                  "divisor_override overlap padding",
                  f"A divisor of {n}.", "avg_pool", attrs, x, dtypes=dtypes, **{mode: x[:6] if k % 3 == 1 else x[::-1]})
    for mode in ("tangent", "cotangent"):
        block = {"kernel": [2, 3, 3], "stride": [1, 2, 2], "pad_begin": [1, 1, 1], "count_include_pad": False}
        x = [float(c) for c in taken(24, 4, range(1, 10))]
        d.add(f"divisor-corners-{mode}", "limits", "VReal", "ranks uncounted_padding",
              "Every corner of a block by its real cells.",
              "avg_pool", block, x, sizes=[2, 3, 4], dtypes="f32",
              **({"tangent": x} if mode == "tangent" else {"cotangent": x[:12], "outs": [3, 2, 2]}))
        rank2 = {"kernel": [3, 2], "stride": [2, 1], "pad_begin": [1, 1], "divisor_override": -5}
        d.add(f"override-2d-{mode}", "limits", "VOver", "divisor_override overlap padding",
              "Every corner under one divisor.",
              "avg_pool", {**rank2, "count_include_pad": False}, [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
              dtypes="f32 f64", **{mode: [[3, -5, 7, 2], [4, 11, -6, 9]] if mode == "cotangent" else [[1, -2, 3], [5, 4, 7], [6, 8, -9]]})


def windows(d: Drafts) -> None:
    """Windows past a block: what is left out at the end, or added up too narrowly, shows."""
    for k, n in enumerate((34, 47, 100, 200, 257, 300, 515, 1030, 2053)):
        digits = taken(n, n, range(9))
        below = [c - 10 for c in taken(n, n + 1, range(8))]
        op = MAXIMA[k % 3]
        rows = [digits[:-1] + [9], [9] + digits[1:], below[:-1] + [-1]][:3 if n < 600 else 1]
        d.add(f"window-{n}-max", "limits", "M1", "return_indices lengths",
              f"{n} cells, the winner last, first, and last below "
              "0.", op, whole_window(op, [n], return_indices=True), rows, sizes=[len(rows), n], dtypes="i8 i32")
        op = AVERAGES[(k + 1) % 3]
        rows = [digits] if n > 600 else [digits, [-c for c in digits[::-1]]]
        rows = [row[:-1] + [(1 if sum(row) > 0 else -1) * (3 * n - abs(sum(row[:-1])) % n)] for row in rows]
        d.add(f"window-{n}-avg", "limits", "V1", "integers lengths", f"{n} cells with a whole mean.", op,
              whole_window(op, [n]),
              rows, sizes=[len(rows), n], dtypes="i32 i64")
    for k, (side, dtype) in enumerate(((6, "f16"), (7, "bf16"), (12, "f64"), (13, "f32"), (5, "f64"), (17, "f16"))):
        n = side * side
        fine = {"f16": 1.0, "bf16": 1.0, "f32": 2.0**-8, "f64": 2.0**-36}[dtype]  # binary16 counts by 2 past 2048
        base = {"f16": 101, "bf16": 15, "f32": 2**8, "f64": 2**36}[dtype]
        cells = [fine * (base + c) for c in taken(n, n, (-2, 0, 1, 3, 4, 5))]
        op = AVERAGES[k % 3]
        d.add(f"window-{side}-by-{side}-{dtype}", "limits", "V1", "accumulation lengths",
              f"{n} cells: a narrower sum loses "
              "their last digits.", op, whole_window(op, [side, side]), cells, sizes=[side, side], dtypes=dtype)
        d.add(f"window-{side}-by-{side}-{dtype}-jvp", "limits", "VDiv", "accumulation lengths", "Their tangents, too.",
              AVERAGES[(k + 1) % 3], whole_window(AVERAGES[(k + 1) % 3], [side, side]), [0] * n, tangent=cells,
              sizes=[side, side],
              dtypes=dtype)
    for n, dtype in ((33, "f64"), (66, "f32"), (130, "f64")):
        x = [float(c) for c in taken(n, n, (0, 0, 1, 2))]
        attrs = {"kernel": [n], "beta": (0.25 if n % 4 else -0.5).hex()}
        d.add(f"window-{n}-smooth", "limits", "S1", "lengths", f"{n} exponentials that all count.", "smooth_max_pool",
              attrs, x,
              dtypes=dtype)
        d.add(f"window-{n}-smooth-jvp", "limits", "SJvp", "softmax lengths", f"{n} weights that all count.",
              "smooth_max_pool",
              attrs, x, tangent=[float(c) for c in taken(n, n + 1, (1, 2, 3))], dtypes=dtype)


def slices(d: Drafts) -> None:
    """Leading axes: many, long, odd, and of size 0."""
    for k, lead in enumerate(([20], [3, 7], [70], [2, 3, 2, 2], [3, 2, 2, 1, 2], [2, 2, 5], [260])):
        count = math.prod(lead)
        cells = taken(count * 4, k, range(1, 10) if count > 99 else range(-60, 60))
        shape, word = [*lead, 4], "-".join(map(str, lead))
        op = MAXIMA[k % 3]
        attrs = {"kernel": [2], "stride": [2]} if k % 3 == 0 else {"output_size": [2]} if k % 3 == 1 else {"spatial_rank": 1}
        note = f"Leading axes {lead}."
        d.add(f"slices-{word}-max", "limits", "W1", "many_slices return_indices", note, op,
              {**attrs, "return_indices": True}, cells,
              sizes=shape, dtypes="i8 i32")
        d.add(f"slices-{word}-avg", "limits", "W1", "many_slices", note, AVERAGES[k % 3], attrs,
              [4 * (c // 4) for c in cells],
              sizes=shape, dtypes="i8 i32 i64")
        if count <= 70:
            x = [float(c) for c in taken(count * 2, k, range(1, 10))]
            two, outs = [*lead, 2], [*lead, 1]
            dy = [float(c) for c in taken(count, k + 1, range(1, 10))]
            d.add(f"slices-{word}-vjp", "limits", "W1", "many_slices", note, "max_pool" if k % 2 else "avg_pool",
                  {"kernel": [2]}, x,
                  cotangent=dy, sizes=two, outs=outs, dtypes="f32" if k % 2 else "f16")
            d.add(f"slices-{word}-jvp", "limits", "W1", "many_slices", note, "avg_pool" if k % 2 else "max_pool",
                  {"kernel": [2]}, x,
                  tangent=x[::-1], sizes=two, dtypes="f16" if k % 2 else "f32")
    for w, (word, lead) in enumerate((("batch", [0, 3]), ("channels", [2, 0]), ("deep", [2, 0, 3]), ("lone", [0]))):
        shape = [*lead, 3, 4]
        for n, op in enumerate(("max_pool", "avg_pool", "smooth_max_pool", "adaptive_max_pool", "adaptive_avg_pool",
                                "global_max_pool",
                   "global_avg_pool")):
            if (n + w) % 3:
                continue
            attrs: Json = {"kernel": [2, 2], **({"beta": 1.0.hex()} if "smooth" in op else {})}
            attrs = {"output_size": [2, 2]} if "adaptive" in op else {"spatial_rank": 2,
                                                                      "keepdims": False} if "global" in op else attrs
            d.add(f"slices-none-{word}-{op.replace('_', '-')}", "limits", "WOut", "empty_batch",
                  "No cells, and a shape.", op, attrs, [],
                  sizes=shape, dtypes=FLOATS)
    d.add("slices-none-vjp", "limits", "WOut", "empty_batch", "No cells, and a gradient's shape.", "max_pool",
          {"kernel": [2, 2]}, [],
          cotangent=[], sizes=[2, 0, 4, 4], outs=[2, 0, 2, 2], dtypes=FLOATS)


def numbers_of_cells(d: Drafts) -> None:
    """Digits alone, two bytes a cell."""
    def digits(n: int, seed: int) -> List[int]:
        return taken(n, seed, range(9))

    plane = digits(260 * 253, 3)
    plane[-101] = 9
    d.add("cells-65780", "limits", "MIdx", "return_indices wide_offset", "The winner past cell 65536 of its plane.",
          "global_max_pool",
          {"spatial_rank": 2, "return_indices": True}, plane, sizes=[260, 253], dtypes="i8", profiles=["torchlean"])
    cells: List[int] = []
    for s in range(17):
        row = [(c + s) % 10 for c in taken(4099, s, range(3))]
        row[-1] = 4099 - sum(row[:-1]) % 4099 if sum(row[:-1]) % 4099 else 0
        cells += row
    d.add("cells-17-4099", "limits", "V1", "many_slices wide_offset", "The last slice begins past cell 65536.",
          "global_avg_pool",
          {"spatial_rank": 1}, cells, sizes=[17, 4099], dtypes="i32")
    for n, width in ((300, 25), (4200, 70)):
        plane = digits(n, n)
        kernel = n // width // 3
        for row in range(kernel - 1, n // width, kernel):
            plane[row * width + (7 * row) % width] = 9
        d.add(f"cells-{n}", "limits", "MIdx", "return_indices wide_offset", f"A plane of {n} cells.", "max_pool",
              {"kernel": [kernel, width // 2], "return_indices": True}, plane, sizes=[1, n // width, width],
              dtypes=FLOATS if n == 300 else "i8")
    n = 2080
    x = [0.0] * n
    for k in range(26):
        x[80 * k + 79 - k] = 1.0
    shape, outs = [13, 160], [13, 2]
    d.add("cells-2080-vjp", "limits", "MTie", "many_slices wide_offset", "Gradients past cell 2048.", "max_pool",
          {"kernel": [80]}, x,
          cotangent=[float(c) for c in taken(26, 5, range(1, 10))], sizes=shape, outs=outs, dtypes=FLOATS)


def ratios(d: Drafts) -> None:
    """Bins whose ends a ratio, or a reciprocal, in binary64 or binary32 puts elsewhere."""
    for k, (n, m) in enumerate(((7, 49), (14, 49), (30, 22), (14, 50), (36, 28), (15, 75), (22, 22), (25, 25), (42, 14), (5, 55), (13, 13),
                                (21, 7), (39, 33), (8, 28), (52, 22), (50, 22))):
        scale = math.lcm(*(-(-((i + 1) * n) // m) - i * n // m for i in range(m)))
        op = ("max", "avg")[k % 2]
        cells = [scale * c for c in taken(n, k, (-7, -5, -3, -2, -1, 1, 2, 4, 6, 9))]
        d.add(f"ratio-{n}-to-{m}", "limits", "A1", "adaptive_more_bins" if m > n else "adaptive_even" if n % m == 0 else
              "adaptive_uneven", f"{n} cells in {m} bins.", f"adaptive_{op}_pool", {"output_size": [m]}, cells,
              dtypes="i8 i32" if op == "max" or scale < 14 else "i32 i64")


def truncated(d: Drafts) -> None:
    """Whole means that are cut off toward zero."""
    for op, extents, attrs in (("avg_pool", [24], {"kernel": [3]}),
                               ("avg_pool", [4, 9], {"kernel": [3, 3], "stride": [1, 2], "pad_begin": [1, 1]}),
                               ("adaptive_avg_pool", [17], {"output_size": [5]}),
                               ("global_avg_pool", [7], {"spatial_rank": 1}),
                               ("avg_pool", [18], {"kernel": [2], "divisor_override": -4}),
                               ("avg_pool", [18], {"kernel": [2]})):
        for dtypes, values in (("i8 i32 i64", range(-9, 10)), ("u8", range(0, 250, 7))):
            if dtypes == "u8" and "divisor_override" in attrs:
                continue
            d.add(f"truncated-{op.split('_')[0]}-{'-'.join(map(str, extents))}-{dtypes[:2]}{'-override' if 'divisor_override' in attrs else ''}"
                  f"{'-halves' if extents == [18] else ''}", "limits", "V1", "integer_mean integers",
                  "Means that are not whole.", op, attrs,
                  taken(3 * math.prod(extents), len(extents), values), sizes=[3, *extents], dtypes=dtypes,
                  profiles=["pytorch"])


def limits(d: Drafts) -> None:
    for part in (ratios, truncated, sums, divisors, windows, slices, numbers_of_cells):
        part(d)
