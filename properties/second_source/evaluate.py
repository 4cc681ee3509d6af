# SPDX-License-Identifier: Apache-2.0
"""A second, independent source of exact pooling answers: case lines in, the lines of `poolproof oracle` out.

It is brute force over every output and every tap, in Python's fractions and decimals, and shares nothing with
the oracle it is compared with. It does not decide what rounding an implementation may do.
A comparison of irrational values that does not show at any precision gives {"undecided": why}.
"""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, List, Optional, Tuple, Union

from policies import Policy
from pooling import ZERO, Pool, added, extended_sum, is_finite
from reals import Form, Undecided, narrow_enclosure
from tensors import FLOATS, INTEGERS, OPEN, UNDETERMINED, Rejected, Tensor, Value, fields, tensor
from windows import ATTRIBUTES

MODES = ("forward", "jvp", "vjp")


class Add:
    """The sum of two equal shapes, as a graph node."""

    def __init__(self, left: Tuple[int, ...], right: Tuple[int, ...]) -> None:
        if left != right:
            raise Rejected(f"add of shapes {list(left)} and {list(right)}")
        self.shape = left

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return Tensor(self.shape, [extended_sum([a, b]) for a, b in zip(left.values, right.values)])

    def push(self, inputs: List[Tensor], tangents: List[Tensor]) -> Tensor:
        cells = zip(inputs[0].values, inputs[1].values, tangents[0].values, tangents[1].values)
        return Tensor(self.shape, [added(c, d) if all(map(is_finite, (a, b, c, d))) else OPEN
                                   for a, b, c, d in cells])

    def pull(self, inputs: List[Tensor], cotangent: Tensor) -> Tensor:
        cells = zip(inputs[0].values, inputs[1].values, cotangent.values)
        return Tensor(self.shape, [c if all(map(is_finite, (a, b, c))) else OPEN for a, b, c in cells])


class Node:
    """A step of a computation; the sources are indices of earlier steps, -1 for the input."""

    def __init__(self, operator: Union[Pool, Add], sources: List[int], shape: Tuple[int, ...]) -> None:
        self.operator = operator
        self.sources = sources
        self.shape = shape


def graph_nodes(attrs: Any, policy: Policy, dtype: str, mode: str, shape: Tuple[int, ...]) -> List[Node]:
    if dtype in INTEGERS:
        raise Rejected("a graph has no integer dtypes")
    if set(fields(attrs, "attrs")) - {"nodes", "memory"}:
        raise Rejected("a graph's attributes are its nodes")
    described = attrs.get("nodes")
    if not isinstance(described, list) or not described:
        raise Rejected("attrs.nodes must be a list of at least one node")
    nodes: List[Node] = []
    for item in described:
        fields(item, "a node")
        is_add = item.get("op") == "add"
        sources = item.get("inputs") if is_add else [item.get("input")]
        if not isinstance(sources, list) or len(sources) != (2 if is_add else 1) or any(
                type(k) is not int or not -1 <= k < len(nodes) for k in sources):
            raise Rejected("a node's input must be the index of an earlier node, or -1")
        shapes = [shape if k == -1 else nodes[k].shape for k in sources]
        if is_add:
            nodes.append(Node(Add(*shapes), sources, shapes[0]))
        else:
            nodes.append(single_node(item.get("op"), item.get("attrs", {}), policy, dtype, mode, shapes[0], sources))
    return nodes


def single_node(op: Any, attrs: Any, policy: Policy, dtype: str, mode: str, shape: Tuple[int, ...],
                sources: List[int]) -> Node:
    if not isinstance(op, str) or op not in ATTRIBUTES:
        raise Rejected(f"{op!r} is no operator")
    pool = Pool(op, attrs, policy, dtype, mode, shape)
    return Node(pool, sources, pool.layout.output_shape)


class Computation:
    """Nodes with every node's value; the last node is the output."""

    def __init__(self, nodes: List[Node], x: Tensor) -> None:
        self.nodes = nodes
        self.x = x
        self.values: List[Tensor] = []
        for node in nodes:
            self.values.append(node.operator.forward(*self.sources(node, x, self.values)))

    @staticmethod
    def sources(node: Node, first: Tensor, later: List[Tensor]) -> List[Tensor]:
        return [first if k == -1 else later[k] for k in node.sources]

    def push(self, tangent: Tensor) -> Tensor:
        tangents: List[Tensor] = []
        for node in self.nodes:
            inputs = self.sources(node, self.x, self.values)
            incoming = self.sources(node, tangent, tangents)
            if isinstance(node.operator, Add):
                tangents.append(node.operator.push(inputs, incoming))
            else:
                tangents.append(node.operator.push(inputs[0], incoming[0]))
        return tangents[-1]

    def pull(self, cotangent: Tensor) -> Tensor:
        """Nodes that the output does not use pull nothing."""
        gradients: Dict[int, Optional[Tensor]] = {k: None for k in range(-1, len(self.nodes))}
        gradients[len(self.nodes) - 1] = cotangent
        for k in reversed(range(len(self.nodes))):
            node, gradient = self.nodes[k], gradients[k]
            if gradient is None:
                continue
            inputs = self.sources(node, self.x, self.values)
            if isinstance(node.operator, Add):
                pulled = node.operator.pull(inputs, gradient)
            else:
                pulled = node.operator.pull(inputs[0], gradient)
            for source in node.sources:
                gradients[source] = accumulated(gradients[source], pulled)
        return gradients[-1] or Tensor(self.x.shape, [ZERO] * len(self.x.values))


def accumulated(gradient: Optional[Tensor], pulled: Tensor) -> Tensor:
    if gradient is None:
        return pulled
    return Tensor(pulled.shape, [added(a, b) for a, b in zip(gradient.values, pulled.values)])


def answer(case: Any) -> Dict[str, Any]:
    fields(case, "a case")
    dtype, mode, op = case.get("dtype", "f64"), case.get("mode"), case.get("op")
    if not isinstance(dtype, str) or dtype not in {**FLOATS, **INTEGERS}:
        raise Rejected(f"{dtype!r} is no dtype")
    if mode not in MODES:
        raise Rejected(f"{mode!r} is no mode")
    policy = Policy(case.get("profile", "torchlean"), case.get("policy", {}))
    if policy.profile == "tiny_pool" and mode == "jvp":
        raise Rejected("jvp is outside the profile tiny_pool")
    x = tensor(case.get("input"), "input", dtype)
    attrs = case.get("attrs", {})
    if op == "graph":
        nodes = graph_nodes(attrs, policy, dtype, mode, x.shape)
    else:
        nodes = [single_node(op, attrs, policy, dtype, mode, x.shape, [-1])]
    seed = direction(case, mode, dtype, x.shape, nodes[-1].shape)
    computation = Computation(nodes, x)
    if seed is None:
        result = printed(computation.values[-1])
        operator = nodes[-1].operator
        if op != "graph" and operator.wants_indices:
            result["indices"] = operator.indices(x)[1]
        return result
    return printed(computation.push(seed) if mode == "jvp" else computation.pull(seed))


def direction(case: Dict[str, Any], mode: str, dtype: str, input_shape: Tuple[int, ...],
              output_shape: Tuple[int, ...]) -> Optional[Tensor]:
    """The tangent or cotangent, of the shape it must have; None in the forward mode."""
    if mode == "forward":
        return None
    name, shape = ("tangent", input_shape) if mode == "jvp" else ("cotangent", output_shape)
    given = tensor(case.get(name), name, dtype)
    if given.shape != shape:
        raise Rejected(f"{name} has shape {list(given.shape)}, expected {list(shape)}")
    return given


def printed(result: Tensor) -> Dict[str, Any]:
    ends = [value_ends(value) for value in result.values]
    if any(isinstance(value, Form) for value in result.values):
        return {"shape": list(result.shape), "lower": [low for low, _ in ends], "upper": [high for _, high in ends]}
    return {"shape": list(result.shape), "exact": [low for low, _ in ends]}


def value_ends(value: Value) -> Tuple[str, str]:
    if isinstance(value, Form):
        bounds = narrow_enclosure(value)
        return str(bounds.lower), str(bounds.upper)
    text = OPEN if value == UNDETERMINED else str(value)
    return text, text


def answer_line(line: str) -> Dict[str, Any]:
    try:
        return answer(json.loads(line, parse_float=Decimal))
    except json.JSONDecodeError as problem:
        return {"rejected": f"not JSON: {problem}"}
    except Rejected as why:
        return {"rejected": str(why)}
    except Undecided as why:
        return {"undecided": str(why)}


def allow_long_integers() -> None:
    """Python limits the digits of an integer in text since 3.11; exact answers may have more."""
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)


def main() -> None:
    allow_long_integers()
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(answer_line(line)))


if __name__ == "__main__":
    main()
