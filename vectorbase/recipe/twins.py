# SPDX-License-Identifier: Apache-2.0
"""Chains of cases that differ in one thing from one to the next, in the order in which they are asked: a plan, a buffer or a
flag that is kept from the one before shows in the next."""

from __future__ import annotations

import math
from typing import List, Sequence

from derived import out_sizes
from drafts import Drafts, Json
from layers import taken

CELLS = (5, -3, 8, 1, -7, 4, 9, -2, 6, 3, -8, 7, 2, -5, 10, -1, 12, -4, 11, -6)


class Chain:
    """Case after case; ids count them, since a file is in the order of its ids."""

    def __init__(self, d: Drafts, word: str, op: str, dtypes: str = "f32") -> None:
        self.d, self.word, self.op, self.dtypes, self.count = d, word, op, dtypes, 0

    def next(self, what: str, attrs: Json, shape: List[int], mode: str = "forward", turned: bool = False,
             dtypes: str = "",
             x=None, **more) -> None:
        self.count += 1
        n = math.prod(shape)
        cells = x if x is not None else [float(c) for c in ((CELLS[::-1] if turned else CELLS) * (n // len(CELLS) + 1))[:n]]
        direction: Json = {}
        if mode == "jvp":
            direction["tangent"] = [float(c) for c in taken(n, self.count, (1, 2, 3, 5, -4))]
        if mode == "vjp":
            rank = attrs.get("spatial_rank") or len(attrs.get("kernel") or attrs["output_size"])
            lead, extents = shape[:len(shape) - rank], shape[len(shape) - rank:]
            outs = [1] * rank if "spatial_rank" in attrs else out_sizes(attrs, extents, False)
            outs = [] if attrs.get("keepdims") is False else outs
            direction["outs"] = [*lead, *outs]
            direction["cotangent"] = [float(c) for c in taken(math.prod(direction["outs"]), self.count, (1, 2, 3, 5, -4))]
        self.d.add(f"twin-{self.word}-{self.count:02}", "twins", None, "state", f"After the one before: {what}.",
                   self.op, attrs, cells,
                   sizes=shape, dtypes=dtypes or self.dtypes, **direction, **more)


def sliding(d: Drafts, op: str, mode: str) -> None:
    word, smooth, average = op[:op.index("_")], op == "smooth_max_pool", op == "avg_pool"
    c = Chain(d, word if mode == "forward" else f"{word}-{mode}", op)
    base: Json = {"kernel": [2], "stride": [2], **({"beta": 0.5.hex()} if smooth else {})}
    wide = {**base, "kernel": [3]}
    half = {**wide, "stride": [2], "pad_begin": [1]}

    def ask(what: str, attrs: Json, shape: Sequence[int] = (2, 7), **more) -> None:
        c.next(what, attrs, list(shape), mode, **more)

    ask("a layer", base)
    ask("other cells", base, turned=True)
    ask("rounded up", {**base, "ceil_mode": True})
    if smooth:
        ask("padded", half)
        ask("another beta", {**half, "beta": 1.0.hex()})
        ask("a negative beta", {**half, "beta": (-1.0).hex()})
        return
    ask("a wider kernel", wide)
    ask("dilated", {**base, "dilation": [3]})
    ask("dilated otherwise", {**base, "dilation": [4]})
    ask("another stride", {**wide, "stride": [1]})
    ask("padded", {**wide, "stride": [1], "pad_begin": [1]})
    ask("padded before alone", {**wide, "stride": [1], "pad_begin": [1], "pad_end": [0]})
    ask("padded past it alone", {**wide, "stride": [1], "pad_begin": [0], "pad_end": [1]})
    ask("padded on both sides, stride 2", half)
    if average:
        ask("padding does not count", {**half, "count_include_pad": False})
        ask("a divisor", {**half, "count_include_pad": False, "divisor_override": 2})
        ask("another divisor", {**half, "count_include_pad": False, "divisor_override": -4})
        ask("no divisor", half, turned=True)
    square: Json = {"kernel": [2, 1], "stride": [1, 1]}
    ask("the same cells, as 3 by 4", square, [3, 4])
    ask("as 4 by 3", square, [4, 3])
    ask("the kernel turned", {**square, "kernel": [1, 2]}, [4, 3])
    if mode != "forward":
        return
    ask("with a leading axis", {**square, "kernel": [1, 2]}, [2, 3, 2])
    ask("that turned", {**square, "kernel": [1, 2]}, [3, 2, 2])
    same = {**base, "stride": [1], "auto_pad": "same_upper"}
    ask("automatic padding", same, [6])
    ask("the odd cell before", {**same, "auto_pad": "same_lower"}, [6])
    ask("none of it", {**same, "auto_pad": "valid"}, [6])


def binned(d: Drafts) -> None:
    for op, mode in (("max", "vjp"), ("avg", "forward")):
        c = Chain(d, f"bins-{op}-{mode}", f"adaptive_{op}_pool")
        for what, outs, shape in (("uneven bins", [3], [2, 5]), ("fewer", [2], [2, 5]), ("other cells", [2], [5, 2]),
                                  ("a plane", [2, 1], [3, 4]), ("turned", [1, 2], [3, 4]),
                                  ("the extents turned", [1, 2], [4, 3])):
            c.next(what, {"output_size": outs}, shape, mode)
        c.next("the winners elsewhere", {"output_size": [1, 2]}, [4, 3], mode, turned=True)
    for op, mode in (("max", "vjp"), ("avg", "forward")):
        c = Chain(d, f"global-{op}-{mode}", f"global_{op}_pool")
        for what, rank, keep, shape in (("a plane", 2, True, [2, 2, 3]), ("its axes dropped", 2, False, [2, 2, 3]),
                                        ("its rows alone", 1, False, [2, 2, 3]), ("turned", 1, False, [2, 3, 2]),
                                        ("all of it", 3, True, [2, 3, 2])):
            c.next(what, {"spatial_rank": rank, "keepdims": keep}, shape, mode)
        c.next("the winners elsewhere", {"spatial_rank": 3, "keepdims": True}, [2, 3, 2], mode, turned=True)


def between(d: Drafts) -> None:
    """From one mode, or format, to another."""
    fine = {"f64": 2.0**-50, "f32": 2.0**-21, "f16": 2.0**-8, "bf16": 2.0**-5}
    for op, attrs in (("max_pool", {"kernel": [2]}), ("avg_pool", {"kernel": [2]}),
                      ("smooth_max_pool", {"kernel": [2], "beta": 1.0.hex()})):
        word = op[:op.index("_")]
        c = Chain(d, f"formats-{word}", op)
        for k, dtype in enumerate(("f16", "f64", "f32", "f64", *(() if word == "smooth" else ("i8", "f64")))):
            x = [1 + n * fine[dtype] for n in (1 + k, 3, 4, 2)] if dtype in fine else [k + 2 * n for n in (1, 3, 5, 3)]
            c.next(f"in {dtype}", attrs, [4], dtypes=dtype, x=x)
        c = Chain(d, f"modes-{word}", op)
        for k, mode in enumerate(("forward", "vjp", "jvp", "vjp", "vjp", "forward", "jvp")):
            c.next(f"mode {mode}", attrs, [2, 4], mode, turned=k in (3, 4, 5))
    c = Chain(d, "indices", "max_pool")
    for k, (attrs, shape) in enumerate((({"kernel": [2, 2]}, [1, 2, 4]), ({"kernel": [2, 2]}, [1, 2, 4]), ({"kernel": [1, 2]}, [1, 2, 4]),
                                        ({"kernel": [2, 2], "stride": [1, 1]}, [2, 2, 3]),
                                        ({"kernel": [2, 2], "stride": [1, 1]}, [1, 3, 4]))):
        for asked in ((True, False) if k < 2 else (True,)):
            c.next("indices" if asked else "none", {**attrs, **({"return_indices": True} if asked else {})}, shape,
                   turned=k % 2 == 1)
    c = Chain(d, "empty", "avg_pool")
    c.next("a window", {"kernel": [2]}, [3, 4])
    c.next("no slices", {"kernel": [2]}, [0, 4])
    c.next("slices again", {"kernel": [2]}, [3, 4], turned=True)
    c.next("a NaN", {"kernel": [2]}, [2, 4], x=["nan", 1, 2, 3, 4, "inf", 5, 6])
    c.next("none", {"kernel": [2]}, [2, 4], x=[1, 1, 2, 3, 4, 4, 5, 6])


def twins(d: Drafts) -> None:
    for op, mode in (("max_pool", "forward"), ("max_pool", "vjp"), ("avg_pool", "forward"),
                     ("smooth_max_pool", "forward"), ("smooth_max_pool", "jvp")):
        sliding(d, op, mode)
    binned(d)
    between(d)
