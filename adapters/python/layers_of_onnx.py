#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pooling layers of an ONNX model as the list that `poolproof check --layers FILE` takes.

    python3 layers_of_onnx.py MODEL [--dim NAME=SIZE].. > layers.json

Needs the package onnx. An unknown first axis of the model's inputs is taken as 1; other unknown sizes must be named.
Equal layers are listed once. What cannot be listed is told on standard error, with the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

import onnx

Json = Dict[str, Any]
Sizes = Dict[str, int]

OPS = {"MaxPool": "max_pool", "AveragePool": "avg_pool",
       "GlobalMaxPool": "global_max_pool", "GlobalAveragePool": "global_avg_pool"}
KNOWN = {"MaxPool": {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"},
         "AveragePool": {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"},
         "GlobalMaxPool": set(), "GlobalAveragePool": set()}
DTYPES = {"DOUBLE": "f64", "FLOAT": "f32", "FLOAT16": "f16", "BFLOAT16": "bf16",
          "INT8": "i8", "UINT8": "u8", "INT32": "i32", "INT64": "i64"}


class NotExpressible(Exception):
    """Why a node is not a case."""


def given_attributes(node: onnx.NodeProto) -> Json:
    if node.op_type not in OPS:
        raise NotExpressible(node.op_type)
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    unknown = sorted(set(given) - KNOWN[node.op_type])
    if unknown:
        raise NotExpressible(f"attribute {', '.join(unknown)}")
    return given


def integers(given: Json, name: str, count: int, default: int) -> List[int]:
    return [int(value) for value in given.get(name) or [default] * count]


def padding(given: Json, rank: int) -> Json:
    auto_pad = given.get("auto_pad", b"NOTSET").decode().lower()
    if auto_pad != "notset":
        return {"auto_pad": auto_pad}
    pads = integers(given, "pads", 2 * rank, 0)
    return {"pad_begin": pads[:rank], "pad_end": pads[rank:]}


def case_attributes(node: onnx.NodeProto, input_rank: int) -> Json:
    """A case's attributes for a pooling node, without its indices."""
    given = given_attributes(node)
    if node.op_type.startswith("Global"):
        return {"spatial_rank": input_rank - 2, "keepdims": True}
    kernel = [int(value) for value in given["kernel_shape"]]
    attrs = {"kernel": kernel, "stride": integers(given, "strides", len(kernel), 1), **padding(given, len(kernel)),
             "dilation": integers(given, "dilations", len(kernel), 1), "ceil_mode": bool(given.get("ceil_mode", 0))}
    if node.op_type == "AveragePool":
        attrs["count_include_pad"] = bool(given.get("count_include_pad", 0))
    return attrs


def has_row_major_indices(node: onnx.NodeProto) -> bool:
    return len(node.output) > 1 and node.output[1] != "" and not given_attributes(node).get("storage_order", 0)


def fix_sizes(model: onnx.ModelProto, sizes: Sizes) -> None:
    """Writes the sizes that are asked for into the model's inputs, and 1 for a first axis that is not known."""
    for value in model.graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.HasField("dim_value"):
                continue
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
            elif axis == 0:
                dim.dim_value = 1


def tensor_types(graph: onnx.GraphProto) -> Dict[str, onnx.TypeProto.Tensor]:
    values = [*graph.input, *graph.value_info, *graph.output]
    types = {value.name: value.type.tensor_type for value in values}
    for constant in graph.initializer:
        types[constant.name] = onnx.helper.make_tensor_type_proto(constant.data_type, constant.dims).tensor_type
    return types


def pooling_nodes(graph: onnx.GraphProto,
                  known: Dict[str, Any]) -> Iterator[Tuple[onnx.NodeProto, Optional[onnx.TypeProto.Tensor]]]:
    """Every pooling node with the type of its input, those of subgraphs too."""
    types = {**known, **tensor_types(graph)}
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                yield from pooling_nodes(inner, types)
        if "Pool" in node.op_type:
            yield node, types.get(node.input[0])


def layer(node: onnx.NodeProto, tensor_type: Optional[onnx.TypeProto.Tensor]) -> Json:
    if node.op_type not in OPS:
        raise NotExpressible(f"{node.op_type} is no op of a case")
    if tensor_type is None or not tensor_type.HasField("shape"):
        raise NotExpressible("the shape of its input is not known")
    dims = tensor_type.shape.dim
    unknown = [dim.dim_param or f"axis {axis}" for axis, dim in enumerate(dims) if not dim.HasField("dim_value")]
    if unknown:
        raise NotExpressible(f"sizes of its input are not known: {', '.join(unknown)}; name them with --dim")
    element = onnx.TensorProto.DataType.Name(tensor_type.elem_type)
    if element not in DTYPES:
        raise NotExpressible(f"element type {element}")
    attrs = case_attributes(node, len(dims))
    if has_row_major_indices(node):
        attrs["return_indices"] = True
    return {"op": OPS[node.op_type], "attrs": attrs, "shape": [dim.dim_value for dim in dims],
            "dtype": DTYPES[element], "profile": "onnx"}


def layers(model: onnx.ModelProto, sizes: Sizes) -> Tuple[List[Json], List[str]]:
    """The layers, and what was left out and why."""
    fix_sizes(model, sizes)
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    found: List[Json] = []
    left_out = []
    for number, (node, tensor_type) in enumerate(pooling_nodes(inferred.graph, {})):
        try:
            one = layer(node, tensor_type)
            found += [one] if one not in found else []
        except NotExpressible as reason:
            left_out.append(f"{node.name or f'pooling node {number}'}: {reason}")
    return found, left_out


def size(text: str) -> Tuple[str, int]:
    name, _, value = text.partition("=")
    return name, int(value)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="an ONNX file")
    options.add_argument("--dim", type=size, action="append", default=[], metavar="NAME=SIZE",
                         help="the size of a symbolic dimension; may be given several times")
    chosen = options.parse_args()
    found, left_out = layers(onnx.load(chosen.model, load_external_data=False), dict(chosen.dim))
    for reason in left_out:
        print(f"layers_of_onnx: left out: {reason}", file=sys.stderr)
    print("[" + ",\n ".join(json.dumps(one) for one in found) + "]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
