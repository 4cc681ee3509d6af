# SPDX-License-Identifier: Apache-2.0
"""Drafts of vectors: lines for `poolproof vectors add`. Numbers are written exactly, so that a draft means one thing in
every format that holds them."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, Optional, Sequence, Union

Json = Dict[str, Any]
Number = Union[int, float, str]
Nested = Union[Number, Sequence["Nested"]]

EXTENSIONS = {"dilation", "pad_end", "auto_pad", "ceil_mode", "divisor_override", "return_indices"}


def element(x: Number) -> Union[int, str]:
    if isinstance(x, (int, str)):
        return x
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return x.hex()


def flat(x: Nested) -> List[Number]:
    if not isinstance(x, (list, tuple)):
        return [x]
    return [cell for row in x for cell in flat(row)]


def shape(x: Nested) -> List[int]:
    return [len(x), *(shape(x[0]) if x else [])] if isinstance(x, (list, tuple)) else []


def tensor(x: Any, sizes: Optional[List[int]] = None) -> Json:
    return {"shape": shape(x) if sizes is None else sizes, "data": [element(cell) for cell in flat(x)]}


def level_of(attrs: Json, policy: Optional[Json]) -> str:
    if policy:
        return "informative"
    return "recommended" if EXTENSIONS & set(attrs) or attrs.get("count_include_pad") is False else "required"


class Drafts:
    """The drafts so far, by id; a second one of the same id is a mistake of the recipe."""

    def __init__(self) -> None:
        self.lines: Dict[str, Json] = {}

    def add(self, name: str, theme: str, clause: Optional[str], flags: str, note: str, op: str, attrs: Json, x: Any,
            tangent: Any = None, cotangent: Any = None, policy: Optional[Json] = None, level: Optional[str] = None,
            profiles: Optional[Sequence[str]] = None, dtypes: Optional[str] = None, rejected: bool = False,
            sizes: Optional[List[int]] = None, outs: Optional[List[int]] = None) -> None:
        case: Json = {"op": op, "mode": "jvp" if tangent is not None else "vjp" if cotangent is not None else "forward",
                      "attrs": attrs}
        if policy:
            case["policy"] = policy
        case["input"] = tensor(x, sizes)
        if tangent is not None:
            case["tangent"] = tensor(tangent, sizes)
        if cotangent is not None:
            case["cotangent"] = tensor(cotangent, outs)
        draft: Json = {"id": name, "theme": theme, "level": level or level_of(attrs, policy)}
        if clause:
            draft["clause"] = clause
        draft.update({"flags": sorted(flags.split()), "note": note})
        if profiles:
            draft["profiles"] = list(profiles)
        if dtypes:
            draft["dtypes"] = dtypes.split()
        if rejected:
            draft["rejected"] = True
        draft["case"] = case
        if name in self.lines:
            raise ValueError(f"{name} is there twice")
        self.lines[name] = draft

    def print(self) -> None:
        for draft in self.lines.values():
            print(json.dumps(draft, separators=(",", ":")))
