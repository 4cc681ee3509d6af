# SPDX-License-Identifier: Apache-2.0
"""Cases in which every choice is drawn: axes that differ in all they have, odd numbers of slices, rows past one block of
lanes. A number names a draw."""

from __future__ import annotations

import math
from random import Random
from typing import Any, List, Tuple

from chosen import MIXTURES
from derived import out_sizes
from drafts import Drafts, Json
from layers import FLOATS, bowls, taken

OPS = ("max_pool",) * 4 + ("avg_pool",) * 4 + ("smooth_max_pool", "adaptive_max_pool", "adaptive_avg_pool",
                                               "global_max_pool",
                                              "global_avg_pool")
KERNELS = (1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13)
ROWS = (3, 5, 6, 7, 9, 10, 11, 12, 13, 15, 17, 18, 19, 23, 34)
LEADS = ([], [1], [2], [3], [5], [7], [2, 3], [3, 1], [1, 5], [1, 2, 2], [2, 1, 3], [17], [9, 2])
SMALL = (-9, -7, -5, -4, -3, -2, -1, 1, 2, 3, 4, 6, 8)


def window(draw: Random, rank: int, average: bool) -> Tuple[Json, List[int]]:
    """Attributes of a sliding window, and extents for them."""
    def each(values: Any, alike: float) -> List[int]:
        one = draw.choice(values)
        return [one] * rank if draw.random() < alike else [draw.choice(values) for _ in range(rank)]

    kernel = each(KERNELS if rank < 3 else KERNELS[:8], 0.4)
    stride = each((1, 1, 2, 2, 3, 4), 0.4) if draw.random() < 0.7 else list(kernel)
    dilation = each((1, 2, 3, 4), 0.3) if draw.random() < 0.45 else [1] * rank
    attrs: Json = {"kernel": kernel, "stride": stride}
    if max(dilation) > 1:
        attrs["dilation"] = dilation
    pads = [[draw.randint(0, k // 2) for k in kernel] for _ in range(2)]
    way = draw.random()
    if way < 0.15:
        attrs["auto_pad"] = draw.choice(("same_upper", "same_lower", "valid"))
    elif way < 0.65:
        attrs["pad_begin"] = pads[0]
        if way < 0.4:
            attrs["pad_end"] = pads[1]
    if draw.random() < 0.35:
        attrs["ceil_mode"] = True
    if average and draw.random() < 0.35:
        attrs["count_include_pad"] = False
    if average and draw.random() < 0.2:
        attrs["divisor_override"] = draw.choice((2, 3, -3, 5, -7, 100, 257, -300))
    extents = []
    for axis in range(rank):
        outs = draw.choice(ROWS) if axis == rank - 1 else draw.choice((1, 2, 3, 4))
        room = sum(attrs.get(p, attrs.get("pad_begin", [0] * rank))[axis] for p in ("pad_begin", "pad_end"))
        reach = dilation[axis] * (kernel[axis] - 1) + 1
        extents.append(max((outs - 1) * stride[axis] + reach - room + draw.randrange(stride[axis]), 1))
    return attrs, extents


def mixture(number: int) -> Any:
    """The draft's arguments, or nothing where the draw is too long."""
    draw = Random(number)
    op, mode = draw.choice(OPS), draw.choice(("forward", "forward", "jvp", "vjp"))
    rank, lead = draw.choice((1, 1, 2, 2, 2, 3, 4)), draw.choice(LEADS)
    maximum, smooth = op.endswith("max_pool") and "smooth" not in op, "smooth" in op
    if "_" in op[:op.index("_pool")] and not smooth:
        extents = [draw.choice((2, 3, 4, 5, 7))] * (rank - 1) + [draw.choice(ROWS)]
        attrs: Json = {"output_size": [draw.randint(1, n + n // 3) for n in extents]} if "adaptive" in op else {
            "spatial_rank": rank, **({"keepdims": False} if draw.random() < 0.4 else {})}
    else:
        attrs, extents = window(draw, rank, op == "avg_pool")
    if smooth:
        attrs["beta"] = draw.choice((0.5, 1.0, -1.0, 0.25, -2.0, 0.0625, 64.0)).hex()
    outs = [] if attrs.get("keepdims") is False else [1] * rank if "global" in op else out_sizes(attrs, extents, False)
    shape, cells = [*lead, *extents], math.prod(lead) * math.prod(extents)
    answers = math.prod(lead) * math.prod(outs)
    whole = mode == "forward" and (maximum or "divisor_override" not in attrs) and draw.random() < 0.5
    volume = math.prod(attrs.get("kernel", [99]))
    whole = whole and (maximum or (op == "avg_pool" and volume <= 500 and "count_include_pad" not in attrs))
    most = 420 if whole else 70 if smooth else 200 if mode == "forward" else 130
    if not 12 <= cells <= most or answers < 2 or answers > (24 if smooth else most) or min(outs, default=1) < 1:
        return None
    values = draw.choice(((-3, -2, -1, 0, 1, 2, 3), (-5, -4, -3, -2), tuple(range(-60, 60)))) if maximum else SMALL
    x = bowls(math.prod(lead), extents, number) if maximum and draw.random() < 0.3 else taken(cells, number, values)
    if whole and not maximum:
        x = [volume * c for c in x]
    if maximum and mode == "forward" and "auto_pad" not in attrs and draw.random() < 0.5:
        attrs["return_indices"] = True
    dtypes = ("i8 i32 i64" if max(map(abs,
                                      x)) < 128 else "i32 i64") if whole else FLOATS if maximum and mode != "vjp" else draw.choice(
        ("f32", "f64") if smooth else ("f32", "f64", "f16", "bf16", "f16 bf16"))
    direction = taken(cells if mode == "jvp" else answers, number + 1, SMALL)
    return op, attrs, x, dtypes, shape, [*lead, *outs], {"jvp": {"tangent": direction},
                                                         "vjp": {"cotangent": direction}}.get(mode, {})


def mixtures(d: Drafts, numbers: Any = MIXTURES) -> None:
    for number in numbers:
        op, attrs, x, dtypes, shape, outs, more = mixture(number)
        d.add(f"mixture-{number}", "mixtures", None, "unequal_axes", "All choices drawn together.", op, attrs, x,
              dtypes=dtypes,
              sizes=shape, outs=outs, **more)
