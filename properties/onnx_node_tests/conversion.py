# SPDX-License-Identifier: Apache-2.0
"""An ONNX node test as a case of poolproof under the profile `onnx`, and its published outputs as the answer.

Absent attributes are written out with ONNX's defaults, which are not poolproof's: strides of 1, padding not counted.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple, Tuple

import numpy

from published import Array, NodeTest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "adapters/python"))
from layers_of_onnx import OPS, Json, NotExpressible, case_attributes, has_row_major_indices

DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
          "int8": "i8", "uint8": "u8", "int32": "i32", "int64": "i64"}


class Question(NamedTuple):
    case: Json
    answer: Json
    note: str  # what of the test is left out


def dtype_of(array: Array) -> str:
    name = str(array.dtype)
    if name not in DTYPES:
        raise NotExpressible(f"element type {name}")
    return DTYPES[name]


def tensor(array: Array) -> Json:
    little = array if sys.byteorder == "little" else array.byteswap()
    return {"dtype": dtype_of(array), "shape": list(array.shape), "bits": little.tobytes().hex()}


def in_the_plane(indices: Array, spatial: Tuple[int, ...]) -> Array:
    """Positions in the whole row-major tensor as positions in the plane that each output belongs to.

    An index into a foreign plane comes out negative or too large, which no permitted set holds.
    """
    per_plane = math.prod(spatial)
    planes = numpy.arange(math.prod(indices.shape[:2]), dtype=numpy.int64).reshape(indices.shape[:2])
    return indices - per_plane * planes.reshape(indices.shape[:2] + (1,) * len(spatial))


def question(test: NodeTest) -> Question:
    node, x = test.node, test.inputs[0]
    attrs, outputs, note = case_attributes(node, x.ndim), {"y": tensor(test.outputs[0])}, ""
    if has_row_major_indices(node):
        attrs["return_indices"] = True
        outputs["indices"] = tensor(in_the_plane(test.outputs[1], x.shape[2:]))
        note = "with indices"
    elif len(test.outputs) > 1:
        note = "y only: column-major indices"
    case = {"op": OPS[node.op_type], "mode": "forward", "dtype": dtype_of(x), "profile": "onnx", "attrs": attrs,
            "input": tensor(x)}
    return Question(case, {"outputs": outputs}, note)
