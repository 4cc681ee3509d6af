# SPDX-License-Identifier: Apache-2.0
"""Special values and ties in every place of a window: its first and last cell, each row and column, the lanes of a block and
what is left over after the last of them."""

from __future__ import annotations

import math
from typing import List

from derived import out_sizes
from drafts import Drafts, Json
from layers import FLOATS, taken
from limits import AVERAGES, MAXIMA, whole_window
from shipped import INF, NAN


def one_each(n: int, value: float, others: List[int]) -> List[List[float]]:
    """n windows of n cells, `value` in each place in turn."""
    return [[value if k == at else others[(k + at) % len(others)] for k in range(n)] for at in range(n)]


def special_places(d: Drafts) -> None:
    small, below = [1, 5, 3, 2, 4], [-1, -5, -3, -2, -4]
    for k, (n, word, value, others) in enumerate(((5, "nan", NAN, small), (9, "nan", NAN, below), (17, "nan", NAN, small),
                                                  (9, "inf", INF, below), (9, "minus-inf", -INF, below),
                                                  (17, "minus-inf", -INF, small),
                                                  (9, "zero", 0.0, below), (9, "minus-zero", -0.0, below),
                                                  (18, "top", 9, below))):
        for op in (("max_pool", "avg_pool") if k % 2 else ("adaptive_max_pool", "adaptive_avg_pool")):
            if word in ("zero", "minus-zero", "top") and "avg" in op:
                continue
            sides = [3, n // 3] if n in (9, 18) else [n]
            for profile in (("pytorch",) if word == "nan" and "max" in op else (None,)):
                d.add(f"place-{word}-{n}-{op.split('_pool')[0].replace('_', '-')}", "places", None, "lengths" + (
                    " nan" if word == "nan" else " infinity" if "inf" in word else ""),
                      f"{word} in each of {n} places.", op,
                    whole_window(op, sides), [c for row in one_each(n, value, others) for c in row], sizes=[n, *sides],
                    dtypes=FLOATS, profiles=[profile] if profile else None)
    rows = [[NAN, INF, 1, 2], [INF, NAN, 1, 2], [1, NAN, INF, 2], [-INF, NAN, -INF, -INF], [NAN, NAN, 1, 2],
            [-INF, -INF, -INF, -INF],
            [-INF, -INF, 3, -INF], [INF, 1, INF, INF], [INF, -INF, 1, 2], [-INF, 1, 2, INF], [-INF, -5, -INF, -6],
            [NAN, -INF, NAN, 3]]
    for op, profiles in (("max_pool", ("torchlean", "pytorch")), ("avg_pool", (None,)), ("smooth_max_pool", (None,))):
        for beta in ((1.0, -2.0) if "smooth" in op else (None,)):
            for profile in profiles:
                attrs: Json = {"kernel": [2, 2], **({"beta": beta.hex()} if beta else {})}
                word = op[:3] + (f"-{profile}" if profile == "pytorch" else "") + ("-down" if beta and beta < 0 else "")
                d.add(f"place-together-{word}", "places", None, "infinity nan",
                      "Infinities and NaNs together, in rows.", op, attrs,
                      [c for row in rows for c in row], sizes=[12, 2, 2], dtypes=FLOATS,
                      profiles=[profile] if profile else None)
                if op == "max_pool":
                    d.add(f"place-together-index-{word}", "places", None, "infinity return_indices", "Their indices.", op,
                          {**attrs, "return_indices": True}, [c for row in rows for c in row if c == c] * 1,
                          sizes=[len([c for row in rows for c in row if c == c]) // 4, 2, 2], dtypes=FLOATS,
                          profiles=[profile])
    cells = [-0.0, 0.0, -0.0, -0.0, 0.0, -0.0, -1.0, -0.0, 0.0, -2.0, -0.0, 0.0]
    for mode in (None, "tangent", "cotangent"):
        more = {mode: [1.0, 2.0, 3.0] if mode == "cotangent" else [float(c) for c in range(1, 13)]} if mode else {}
        d.add(f"place-zeros-{mode or 'index'}", "places", None, "signed_zeros ties", "Zeros of both signs tie.",
              "max_pool",
              {"kernel": [4], **({} if mode else {"return_indices": True})}, cells, dtypes=FLOATS, **more)
    tiny = {"f64": 2.0**-1074, "f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}
    for k, (dtype, least) in enumerate(tiny.items()):
        x = [least * c for c in (1, 3, 2, -1, 7, 5, -3, -2, 0, -4, 1, 6, -5, -4, -3, -9)]
        for op in ("max_pool", "avg_pool"):
            attrs = {"kernel": [2], **({"divisor_override": 1} if op == "avg_pool" else {})}
            d.add(f"place-least-{op[:3]}-{dtype}-jvp", "places", None, "subnormal", "The least numbers, as tangents.",
                  op, attrs,
                  [float(c) for c in taken(16, k, (1, 2, 3))], tangent=x, dtypes=dtype)
            d.add(f"place-least-{op[:3]}-{dtype}-vjp", "places", None, "subnormal ties",
                  "The least numbers, as cells and "
                  "cotangents.", op, attrs, x, cotangent=x[:8], dtypes=dtype)
    top = {"f16": 65504.0, "f32": (2 - 2.0**-23) * 2.0**127, "bf16": (2 - 2.0**-7) * 2.0**127,
           "f64": (2 - 2.0**-52) * 2.0**1023}
    for dtype, most in top.items():
        d.add(f"place-most-max-{dtype}", "places", None, "format_edge return_indices",
              "The greatest and the least of a format.",
              "max_pool", {"kernel": [3], "return_indices": True},
              [-most, -most, -most, -most, -INF, -most, most, INF, -INF, -INF,
                                                                   -INF, -INF, -most, most, -most], dtypes=dtype)


def ties(d: Drafts) -> None:
    """Few values in windows of many shapes: ties in a row, across rows, in one lane and in others, more than two, far apart."""
    ops = MAXIMA[:2]
    for k, sides in enumerate(([3, 3], [8], [4, 4], [5, 5], [3, 11], [41], [8, 8], [9, 9], [70], [130], [2, 3, 4],
                               [13, 13], [2, 2, 2, 3],
                               [260])):
        n = math.prod(sides)
        count = max(2, min(6, 400 // n))
        for word, values in (("few", (0, 1) if n < 20 else (0,) * (n // 3) + (1,)), ("below", (-3, -2, -4, -5))):
            op = ops[(k + len(word)) % 2]
            cells = taken(count * n, k, values)
            d.add(f"tie-{'-'.join(map(str, sides))}-{word}", "places", "MIdx", "return_indices ties",
                  f"Ties in {n} cells.", op,
                  whole_window(op, sides, return_indices=True), cells, sizes=[count, *sides], dtypes="i8 i32 i64")
            if n > 70 or (word == "few") != (k % 2 == 0):
                continue
            count = max(1, min(count, 72 // n))
            x = [float(c) for c in cells[:count * n]]
            one, outs = {"sizes": [count, *sides]}, [count] + [1] * len(sides)
            name, note = f"tie-{'-'.join(map(str, sides))}", f"Ties in {n} cells."
            dy = {"cotangent": [float(c + 2) for c in range(count)], "outs": outs}
            if k % 3 == 0:
                d.add(f"{name}-vjp", "places", "MTie", "ties", note, "max_pool", {"kernel": sides}, x, dtypes=FLOATS,
                      **dy, **one)
            if k % 3 == 1:
                d.add(f"{name}-jvp", "places", "MTie", "ties", note, ops[k % 2], whole_window(ops[k % 2], sides), x,
                      tangent=[float(c) for c in range(1, count * n + 1)], dtypes=FLOATS, **one)
            everything = dy if k % 2 else {"tangent": [float(c) for c in taken(count * n, 3, (1, 2, 4, -3))]}
            d.add(f"{name}-all-{'vjp' if k % 2 else 'jvp'}", "places", "MTie", "ties", note, "global_max_pool",
                  {"spatial_rank": len(sides)}, x, dtypes="f32", profiles=["torchlean"], **everything, **one)
    padded = {"kernel": [3, 3], "stride": [2, 1], "pad_begin": [1, 1]}
    for k, mode in enumerate(("index", "cotangent", "tangent")):
        x = [float(c) for c in taken(30, 7 + k, (-2, -1))]
        more = {"cotangent": [float(c) for c in taken(18, 2, (1, 2, 3, 5))], "outs": [1, 3, 6]} if k == 1 else {
            "tangent": [float(c) for c in range(1, 31)]} if k == 2 else {}
        d.add(f"tie-padded-{mode}", "places", None, "padding ties", "Ties beside padding, below 0.", "max_pool",
              {**padded, **({"return_indices": True} if k == 0 else {})}, x, sizes=[1, 5, 6], dtypes=FLOATS, **more)
    for k, (word, attrs, sizes) in enumerate((
            ("unequal", {"kernel": [2, 3], "stride": [1, 1], "dilation": [2, 1]}, [5, 6]),
            ("columns", {"kernel": [2, 2], "stride": [1, 2], "dilation": [1, 3]}, [4, 9]),
            ("padded", {"kernel": [3, 3], "stride": [2, 2], "dilation": [1, 2], "pad_begin": [1, 1]}, [6, 7]),
            ("rank-3", {"kernel": [2, 2, 2], "stride": [1, 1, 1], "dilation": [1, 3, 2]}, [3, 5, 4]),
            ("rank-3-wide", {"kernel": [2, 3, 2], "stride": [2, 1, 2], "pad_begin": [1, 1, 0]}, [3, 4, 6]),
            ("rank-4", {"kernel": [2, 1, 2, 2], "stride": [1, 1, 2, 1]}, [3, 2, 4, 3]),
            ("kernel-9", {"kernel": [9], "stride": [3], "dilation": [2], "pad_begin": [4]}, [31]),
            ("kernel-12", {"kernel": [12], "stride": [2], "pad_begin": [6]}, [23]),
            ("kernel-8-by-2", {"kernel": [8, 2], "stride": [1, 2], "dilation": [2, 1], "pad_begin": [3, 1]}, [11, 7]),
            ("phase", {"kernel": [3], "stride": [2], "dilation": [3], "pad_begin": [1]}, [17]),
            ("ceil", {"kernel": [2, 3], "stride": [2, 2], "dilation": [2, 1], "pad_begin": [1, 0], "pad_end": [0, 1],
                      "ceil_mode": True}, [7, 8]),
            ("valid", {"kernel": [2, 3], "stride": [2, 2], "auto_pad": "valid", "ceil_mode": True}, [7, 8]),
            ("same-ceil", {"kernel": [2, 3], "stride": [2, 3], "auto_pad": "same_lower", "ceil_mode": True}, [7, 10]),
            ("same-gap", {"kernel": [1, 2], "stride": [3, 4], "auto_pad": "same_upper"}, [7, 10]),
            ("same-wide", {"kernel": [3], "stride": [2], "dilation": [3], "auto_pad": "same_lower"}, [16]),
            ("gap-ceil", {"kernel": [2], "stride": [5], "ceil_mode": True}, [18]),
            ("gap", {"kernel": [2, 1], "stride": [3, 4]}, [9, 11]),
            ("ends", {"kernel": [3, 2, 2], "stride": [1, 2, 2], "pad_begin": [1, 0, 1], "pad_end": [0, 1, 0]},
             [3, 5, 6]))):
        x = taken(math.prod(sizes), k, range(-60, 60))
        d.add(f"geometry-{word}-max", "places", None, "unequal_axes", "Every window has its own winner.", "max_pool",
              {**attrs, **({} if "auto_pad" in attrs else {"return_indices": True})}, x, sizes=[1, *sizes],
              dtypes="i8 i32")
        x = [float(c) for c in x]
        for mode, op in ((("tangent", "avg_pool"), ("cotangent", "max_pool"), ("cotangent", "avg_pool"),
                          ("tangent", "max_pool"))[k % 4],):
            more = {mode: [float(c) for c in taken(len(x), k, (1, 2, 3, 5, -4, 7))]}
            outs = [1, *out_sizes(attrs, sizes, False)]
            if mode == "cotangent":
                more = {mode: more[mode][:math.prod(outs)], "outs": outs}
            d.add(f"geometry-{word}-{op[:3]}-{'jvp' if mode == 'tangent' else 'vjp'}", "places", None, "unequal_axes",
                  "Every cell has its own "
                  "share.", op, {**attrs, **({"count_include_pad": False} if op == "avg_pool" and k % 4 > 1 else {})}, x,
                  sizes=[1, *sizes], dtypes="f32" if k % 4 < 2 else "f16", **more)


def exponents(d: Drafts) -> None:
    """Weights near the least number of each format, means and maxima at the ends of beta."""
    def soft(name: str, note: str, beta: float, x: List[float], dtypes: str, attrs: Json = {}, **more) -> None:
        d.add(f"exponent-{name}", "places", None, "no_shift" if not more else "no_shift softmax", note, "smooth_max_pool",
              {"kernel": [len(x)], "beta": beta.hex(), **attrs}, x, dtypes=dtypes, **more)

    for sign, word in ((1.0, ""), (-1.0, "down-")):
        for reach, gaps, big, dtypes in (("half", (9, 9.625, 16, 17), 2.0**15, FLOATS),
                                         ("single", (80, 86, 87.25, 95, 102), 2.0**120, "f64 f32"),
                                         ("double", (600, 690, 705, 708.25, 720, 736), 2.0**1000, "f64")):
            x = [sign * c for gap in gaps for c in (0.0, -gap, -1.0 - gap)]
            for mode, one in (("tangent", [0.0, big, -big]), ("cotangent", [big])):
                soft(f"{word}{reach}-{mode}", f"Weights of exp(-{gaps[0]}) to exp(-{gaps[-1]}) that show.", sign, x,
                     dtypes,
                     {"kernel": [3]}, **{mode: one * len(gaps)})
            for far, side in ((-1, "low"), (1, "high")):
                soft(f"{word}{reach}-{side}", "All far from 0: their sum needs a shift.", sign,
                     [sign * far * c for gap in gaps for c in (gap, gap - 0.5)], dtypes, {"kernel": [2]})
            x = [sign * far * c for far in (1, -1) for gap in gaps[1::2] for c in (0.0, gap)]
            soft(f"{word}{reach}-padded", "Padding beside cells far from 0.", sign, x, dtypes.split()[-1],
                 {"kernel": [2], "stride": [3], "pad_begin": [1]})
    for k, beta in enumerate((2.0**-11, -(2.0**-11), 0.09375, -0.09375, 3.0, -100.0, 1000.5, -1500.0, -(2.0**20))):
        dtype = ("f64", "f32", "f16 bf16")[k % 3] if abs(beta) < 1000 else "f64"
        x = [1.0, 1.0 + 2.0 ** (2 - math.frexp(max(abs(beta), 2))[1]), 0.75, 0.5, 1.0]
        soft(f"beta-{k}", "Neither the mean nor the maximum.", beta, x, dtype)
        if k % 2 == 0:
            soft(f"beta-{k}-jvp", "Neither even weights nor one.", beta, x, dtype, tangent=[1.0, 2.0, -4.0, 8.0, 3.0])
    for k, (word, x) in enumerate((("two", [2.0, 2.0]), ("two-of-three", [2.0, 2.0, -1.0]), ("four", [0.5] * 4), ("zeros", [0.0] * 3),
                                   ("near", [1.0, 1.0 + 2.0**-7]))):
        soft(f"equal-{word}", "Equal cells: log n of any accuracy shows.", (1.0, -1.0, 0.75)[k % 3], x, "f64 f32")
    for mode in ("tangent", "cotangent"):
        x = [float(c) for c in taken(12, 3, (-2, -1, 0, 1, 2))]
        more = {"tangent": [float(c) for c in range(1,
                                                    13)]} if mode == "tangent" else {"cotangent": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
                                                                                        "outs": [2, 2, 2]}
        d.add(f"exponent-rank-3-{mode}", "places", None, "padding softmax", "Padding in every corner of a block.",
              "smooth_max_pool",
              {"kernel": [2, 2, 2], "stride": [2, 2, 1], "pad_begin": [1, 1, 0], "beta": 0.5.hex()}, x,
              sizes=[2, 3, 2] if mode == "tangent"
              else [2, 2, 3], dtypes="f32", **more)


def places(d: Drafts) -> None:
    for part in (special_places, ties, exponents):
        part(d)
