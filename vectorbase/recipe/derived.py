# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the forward drafts about divisors: an implementation has its geometry twice, and the
backward half is the one that nobody tests."""

from __future__ import annotations

from typing import List

from drafts import Drafts, Json

THEMES = {"divisor"}  # of sizes and bins, `layers` and `mixtures` have more
FLOATS = {"f64", "f32", "f16", "bf16"}
SOME = 300  # cells: longer ones are about sums, not about geometry


def out_sizes(attrs: Json, extents: List[int], keep: bool) -> List[int]:
    """By docs/SPEC.md [WOut], [WCeil] and [WSame]."""
    if "output_size" in attrs:
        return list(attrs["output_size"])
    sizes = []
    for axis, cells in enumerate(extents):
        def of(name: str, otherwise: int) -> int:
            return attrs[name][axis] if name in attrs else otherwise

        kernel = attrs["kernel"][axis]
        stride, begin, wide = of("stride", kernel), of("pad_begin", 0), of("dilation", 1) * (kernel - 1) + 1
        auto = attrs.get("auto_pad", "")
        if auto.startswith("same"):
            sizes.append(-(-cells // stride))
            continue
        room = cells + begin + of("pad_end", begin) - wide
        out = max(-(-room // stride) if attrs.get("ceil_mode") else room // stride, 0) + 1
        if attrs.get("ceil_mode") and not keep and (out - 1) * stride >= cells + begin:
            out -= 1
        sizes.append(out)
    return sizes


def derived(d: Drafts) -> None:
    for name, draft in list(d.lines.items()):
        case = draft["case"]
        dtypes = [t for t in draft.get("dtypes", FLOATS) if t in FLOATS]
        cells = len(case["input"]["data"])
        if draft["theme"] not in THEMES or case["mode"] != "forward" or "rejected" in draft or not dtypes:
            continue
        if not 0 < cells <= SOME or case["attrs"].get("return_indices") or 2**31 - 1 in case["attrs"].get("dilation", []):
            continue
        shape, rank = case["input"]["shape"], len(case["attrs"].get("kernel", case["attrs"].get("output_size", [])))
        lead = shape[:len(shape) - rank]
        keep = case.get("policy", {}).get("ceil_rule") == "keep"
        outs = lead + out_sizes(case["attrs"], shape[len(shape) - rank:], keep)
        count = 1
        for n in outs:
            count *= n
        if count == 0:
            continue
        # Sums of few of them are exact in every format, and tell which.
        cotangent = {"shape": outs, "data": [(1, 2, 4, 8, 16, 32)[k % 6] for k in range(count)]}
        tangent = {"shape": shape, "data": [(1, -2, 4, 8, -16, 32, 64)[k % 7] for k in range(cells)]}
        for mode, more in (("vjp", {"cotangent": cotangent}), ("jvp", {"tangent": tangent})):
            d.lines[f"{name}-{mode}"] = {**draft, "id": f"{name}-{mode}", "dtypes": dtypes,
                                         "case": {**case, "mode": mode, **more}}
