# SPDX-License-Identifier: Apache-2.0
"""An ONNX node test as a case of poolproof under the profile `onnx`, and its published outputs as the answer.

Absent attributes are written out with ONNX's defaults, which are not poolproof's: strides of 1, padding not counted.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy
import onnx

from published import Array, NodeTest

DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
          "int8": "i8", "uint8": "u8", "int32": "i32", "int64": "i64"}
OPS = {"MaxPool": "max_pool", "AveragePool": "avg_pool",
       "GlobalMaxPool": "global_max_pool", "GlobalAveragePool": "global_avg_pool"}
KNOWN = {"MaxPool": {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"},
         "AveragePool": {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"},
         "GlobalMaxPool": set(), "GlobalAveragePool": set()}

Json = Dict[str, Any]


class NotExpressible(Exception):
    """Why a test is not judged."""


class Question(NamedTuple):
    case: Json
    answer: Json
    note: str  # what of the test is left out


def attributes(node: onnx.NodeProto) -> Json:
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    unknown = sorted(set(given) - KNOWN[node.op_type])
    if unknown:
        raise NotExpressible(f"attribute {', '.join(unknown)}")
    return given


def dtype_of(array: Array) -> str:
    name = str(array.dtype)
    if name not in DTYPES:
        raise NotExpressible(f"element type {name}")
    return DTYPES[name]


def tensor(array: Array) -> Json:
    little = array if sys.byteorder == "little" else array.byteswap()
    return {"dtype": dtype_of(array), "shape": list(array.shape), "bits": little.tobytes().hex()}


def integers(given: Json, name: str, count: int, default: int) -> List[int]:
    return [int(value) for value in given.get(name) or [default] * count]


def padding(given: Json, rank: int) -> Json:
    auto_pad = given.get("auto_pad", b"NOTSET").decode().lower()
    if auto_pad != "notset":
        return {"auto_pad": auto_pad}
    pads = integers(given, "pads", 2 * rank, 0)
    return {"pad_begin": pads[:rank], "pad_end": pads[rank:]}


def sliding_attributes(node: onnx.NodeProto, given: Json) -> Json:
    kernel = [int(value) for value in given["kernel_shape"]]
    attrs = {"kernel": kernel, "stride": integers(given, "strides", len(kernel), 1), **padding(given, len(kernel)),
             "dilation": integers(given, "dilations", len(kernel), 1), "ceil_mode": bool(given.get("ceil_mode", 0))}
    if node.op_type == "AveragePool":
        attrs["count_include_pad"] = bool(given.get("count_include_pad", 0))
    return attrs


def in_the_plane(indices: Array, spatial: Tuple[int, ...]) -> Array:
    """Positions in the whole row-major tensor as positions in the plane that each output belongs to.

    An index into a foreign plane comes out negative or too large, which no permitted set holds.
    """
    per_plane = math.prod(spatial)
    planes = numpy.arange(math.prod(indices.shape[:2]), dtype=numpy.int64).reshape(indices.shape[:2])
    return indices - per_plane * planes.reshape(indices.shape[:2] + (1,) * len(spatial))


def question(test: NodeTest) -> Question:
    node, x = test.node, test.inputs[0]
    if node.op_type not in OPS:
        raise NotExpressible(node.op_type)
    given = attributes(node)
    outputs, note = {"y": tensor(test.outputs[0])}, ""
    if node.op_type.startswith("Global"):
        attrs: Json = {"spatial_rank": x.ndim - 2, "keepdims": True}
    else:
        attrs = sliding_attributes(node, given)
    if len(test.outputs) > 1 and given.get("storage_order", 0):
        note = "y only: column-major indices"
    elif len(test.outputs) > 1:
        attrs["return_indices"] = True
        outputs["indices"] = tensor(in_the_plane(test.outputs[1], x.shape[2:]))
        note = "with indices"
    case = {"op": OPS[node.op_type], "mode": "forward", "dtype": dtype_of(x), "profile": "onnx", "attrs": attrs,
            "input": tensor(x)}
    return Question(case, {"outputs": outputs}, note)
