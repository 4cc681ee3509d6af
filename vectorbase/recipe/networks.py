# SPDX-License-Identifier: Apache-2.0
"""Graphs of more than three nodes: layers of several kinds in one, nodes used twice, sums of unlike branches in either order,
and the same op with other attributes beside."""

from __future__ import annotations

import math
from typing import Dict, List, Sequence, Tuple

from derived import out_sizes
from drafts import Drafts, Json
from layers import taken


def pool(op: str, source: int, **attrs) -> Json:
    return {"op": f"{op}_pool", "attrs": attrs, "input": source}


def add(a: int, b: int) -> Json:
    return {"op": "add", "inputs": [a, b]}


def shapes(nodes: Sequence[Json], given: List[int]) -> List[List[int]]:
    r: Dict[int, List[int]] = {-1: given}
    for k, node in enumerate(nodes):
        if node["op"] == "add":
            r[k] = r[node["inputs"][0]]
            continue
        attrs, shape = node["attrs"], r[node["input"]]
        rank = attrs.get("spatial_rank") or len(attrs.get("kernel") or attrs["output_size"])
        lead, extents = shape[:len(shape) - rank], shape[len(shape) - rank:]
        if "spatial_rank" in attrs:
            r[k] = lead + ([1] * rank if attrs.get("keepdims", True) else [])
        else:
            r[k] = lead + out_sizes(attrs, extents, False)
    return [r[k] for k in range(len(nodes))]


def networks(d: Drafts) -> None:
    s2 = {"kernel": [2], "stride": [1]}
    keep = {"kernel": [3], "stride": [1], "pad_begin": [1]}
    all_of: List[Tuple[str, str, List[int], List[Json]]] = [
        ("deep", "Six layers, one after another.", [1, 19],
         [pool("max", -1, **s2), pool("avg", 0, kernel=[3], stride=[1]),
          pool("max", 1, kernel=[2], stride=[1], dilation=[2]),
          pool("avg", 2, kernel=[2], stride=[2], ceil_mode=True), pool("max", 3, kernel=[2], stride=[2], ceil_mode=True),
          pool("avg", 4, kernel=[3], stride=[2], pad_begin=[1], ceil_mode=True)]),
        ("inception", "Branches of one size, added up.", [2, 7],
         [pool("max", -1, **keep), pool("avg", -1, **keep), pool("avg", -1, **keep, count_include_pad=False), add(0, 1),
          add(3, 2),
          pool("max", 4, kernel=[3], stride=[2])]),
        ("dilations", "One op under three dilations.", [13],
         [pool("max", -1, kernel=[3], stride=[1], pad_begin=[1]),
          pool("max", -1, kernel=[3], stride=[1], pad_begin=[2], dilation=[2]),
          pool("max", -1, kernel=[3], stride=[1], pad_begin=[3], dilation=[3]), add(2, 0), add(1, 3)]),
        ("residual", "The input added back, first and second.", [2, 6],
         [pool("avg", -1, **keep), add(0, -1), pool("max", 1, **keep), add(-1, 2), add(3, 1),
          pool("avg", 4, kernel=[2], stride=[2])]),
        ("doubled", "Nodes added to themselves, deep down.", [8],
         [pool("max", -1, **s2), add(0, 0), pool("avg", 1, **s2), add(2, 2), pool("max", 3, **s2), add(4, 4)]),
        ("diamonds", "A node behind two others, twice.", [10],
         [pool("avg", -1, **s2), pool("max", 0, **s2), pool("avg", 0, **s2), add(1, 2), pool("max", 3, **s2),
          pool("avg", 3, **s2),
          add(5, 4), pool("max", 6, kernel=[3], stride=[3])]),
        ("plane", "Planes: ResNet's first layer, its mean, and a head.", [1, 5, 7],
         [pool("max", -1, kernel=[3, 3], stride=[2, 2], pad_begin=[1, 1]),
          pool("avg", 0, kernel=[2, 2], stride=[1, 2], dilation=[2, 1]),
          pool("adaptive_max", 1, output_size=[1, 2]), pool("adaptive_avg", -1, output_size=[1, 2]), add(2, 3),
          pool("global_avg", 4, spatial_rank=2, keepdims=True)]),
        ("heads", "Two global heads of two depths.", [2, 3, 5],
         [pool("global_max", -1, spatial_rank=2), pool("max", -1, kernel=[2, 2], stride=[1, 1]),
          pool("global_avg", 1, spatial_rank=2),
          add(0, 2), pool("avg", -1, kernel=[3, 1], stride=[1, 1]), pool("global_max", 4, spatial_rank=2), add(5, 3)]),
        ("soft", "Smooth maxima between others.", [7],
         [pool("smooth_max", -1, **s2, beta=1.0.hex()), pool("max", -1, **s2), add(0, 1),
          pool("smooth_max", -1, **s2, beta=(-0.5).hex()),
          add(2, 3), pool("avg", 4, kernel=[2], stride=[2])]),
        ("ties", "Ties that the second layer makes.", [12],
         [pool("max", -1, **s2), pool("max", 0, **s2), pool("avg", 1, kernel=[2], stride=[2]),
          pool("max", 0, kernel=[3], stride=[2]),
          add(3, 2), pool("max", 4, kernel=[5])]),
        ("pyramid", "One node at three scales, and nodes that nobody uses.", [1, 12],
         [pool("adaptive_avg", -1, output_size=[4]), pool("adaptive_max", -1, output_size=[5]),
          pool("avg", -1, kernel=[3], stride=[3]),
          add(0, 2), pool("adaptive_max", 3, output_size=[3]), pool("max", 1, kernel=[3], stride=[1]), add(4, 5)]),
        ("pads", "Pads on one side and the other, and automatic ones.", [9],
         [pool("max", -1, kernel=[2], stride=[2], pad_begin=[0], pad_end=[1]),
          pool("max", -1, kernel=[2], stride=[2], pad_begin=[1], pad_end=[0]),
          pool("avg", -1, kernel=[2], stride=[2], auto_pad="same_upper"), add(0, 1), add(2, 3),
          pool("avg", -1, kernel=[2], stride=[2], divisor_override=4, ceil_mode=True),
          add(5, 4)]),
    ]
    square: List[Json] = [
        pool("max", -1, kernel=[3, 3], stride=[2, 2], pad_begin=[1, 1]),
        pool("avg", -1, kernel=[3, 3], stride=[1, 1], pad_begin=[1, 1]),
        pool("max", 1, kernel=[7, 7], stride=[7, 7]), pool("max", -1, kernel=[2, 2], stride=[2, 2]),
        pool("adaptive_max", -1, output_size=[1, 49]), pool("avg", 1, kernel=[2, 2], stride=[1, 1], dilation=[3, 2]),
        *(pool("global_avg", k, spatial_rank=2) for k in (0, 3, 4, 5))]
    sums = [add(2, 6), add(10, 7), add(11, 8), add(12, 9)]
    all_of.append(("layers", "Six layers of one plane, and the sum of their means.", [7, 7], square + sums))
    for k, (word, note, shape, nodes) in enumerate(all_of):
        outs = shapes(nodes, shape)[-1]
        x = [float(c) for c in taken(math.prod(shape), k + 2, (-1, 0, 1, 2) if word == "ties" else range(-16, 17))]
        flags = "graph_add graph_chain graph_reuse" if any(n["op"] == "add" for n in nodes) else "graph_chain"
        for mode in ("forward", "vjp", *(("jvp",) if k % 3 == 0 else ())):
            more: Json = {"tangent": [float(c) for c in taken(len(x), k, (1, 2, -3, 4))]} if mode == "jvp" else {
                "cotangent": [float(c) for c in taken(math.prod(outs), k, (3, 5, -2, 7))],
                "outs": outs} if mode == "vjp" else {}
            dtypes = "f64 f32" if mode == "forward" and word != "soft" else ("f32", "f64")[k % 2]
            d.add(f"network-{word}-{mode}", "networks", None, flags, note, "graph", {"nodes": nodes}, x, sizes=shape,
                  dtypes=dtypes, **more)
