# SPDX-License-Identifier: Apache-2.0
"""The pooling node tests that the `onnx` package carries: stored files, and the code that makes them.

Packages up to 1.22 hold every node test as files; later ones hold only the code, whose results may depend on NumPy's
order of summation. Where both are there and agree bit by bit, the test counts once.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

import onnx
from onnx import numpy_helper
from onnx.backend.test import loader
from onnx.backend.test.case.node import collect_testcases

Array = Any  # of NumPy
POOLING = ("MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool", "LpPool", "GlobalLpPool", "MaxUnpool")


class NodeTest(NamedTuple):
    """One data set of a node test; inputs and outputs in the order of the node's names that are not empty."""
    name: str
    copy: str  # "files", "code" or "both"
    node: onnx.NodeProto
    inputs: Tuple[Array, ...]
    outputs: Tuple[Array, ...]

    def content(self) -> Tuple[Any, ...]:
        attributes = sorted(a.SerializeToString(deterministic=True) for a in self.node.attribute)
        arrays = [(str(a.dtype), a.shape, a.tobytes()) for a in self.inputs + self.outputs]
        return (self.node.op_type, attributes, list(self.node.input), list(self.node.output), arrays)


def pooling_node(model: onnx.ModelProto) -> List[onnx.NodeProto]:
    """The node of a model that is one pooling node and nothing else, or nothing."""
    nodes = list(model.graph.node)
    return nodes if len(nodes) == 1 and nodes[0].op_type in POOLING else []


def has_pooling(model: onnx.ModelProto) -> bool:
    return any(node.op_type in POOLING for node in model.graph.node)


def numbered(name: str, k: int) -> str:
    return name if k == 0 else f"{name}#{k}"


def arrays_of_files(folder: Path, kind: str) -> Tuple[Array, ...]:
    paths = sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
    return tuple(numpy_helper.to_array(onnx.load_tensor(str(path))) for path in paths)


def arrays_of_code(values: Sequence[Any]) -> Tuple[Array, ...]:
    return tuple(numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v for v in values)


def stored_models() -> Iterator[Tuple[Path, onnx.ModelProto]]:
    for path in sorted(Path(loader.DATA_DIR, "node").glob("*/model.onnx")):
        yield path.parent, onnx.load(str(path))


def generated_tests() -> List[Any]:
    with warnings.catch_warnings():  # the tests of other operators divide by zero on purpose
        warnings.simplefilter("ignore")
        return sorted(collect_testcases(None), key=lambda test: str(test.name))


def collect() -> Tuple[List[NodeTest], List[str]]:
    """The tests of a single pooling node, and the names of tests that pool inside a larger graph."""
    found: Dict[str, List[NodeTest]] = {}
    larger = set()

    def add(test: NodeTest) -> None:
        same = [k for k, other in enumerate(found.setdefault(test.name, [])) if other.content() == test.content()]
        if same:
            found[test.name][same[0]] = found[test.name][same[0]]._replace(copy="both")
        else:
            found[test.name].append(test)

    for folder, model in stored_models():
        larger.update([folder.name] if has_pooling(model) and not pooling_node(model) else [])
        for node in pooling_node(model):
            for k, data in enumerate(sorted(folder.glob("test_data_set_*"))):
                add(NodeTest(numbered(folder.name, k), "files", node, arrays_of_files(data, "input"),
                             arrays_of_files(data, "output")))
    for test in generated_tests():
        larger.update([test.name] if has_pooling(test.model) and not pooling_node(test.model) else [])
        for node in pooling_node(test.model):
            for k, (inputs, outputs) in enumerate(test.data_sets):
                add(NodeTest(numbered(test.name, k), "code", node, arrays_of_code(inputs), arrays_of_code(outputs)))
    return [test for name in sorted(found) for test in found[name]], sorted(larger)
