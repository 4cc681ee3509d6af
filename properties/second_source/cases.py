# SPDX-License-Identifier: Apache-2.0
"""Random case lines, a pure function of --seed and --count: every operator, mode, dtype, profile and policy.

About one in twenty is spoiled on purpose (see invalid_cases.py). Tensors stay small, so that a brute force
evaluation of twenty thousand cases takes about a minute. Left out is what the contract does not settle:
`signed_zero: positive` in graphs, `empty_window: lowest` of an average, a `nan_index` beside ignored or open
NaNs, and under tiny_pool everything but its own operators and policies.
"""

from __future__ import annotations

import argparse
import json
import struct
from fractions import Fraction
from math import prod
from random import Random
from typing import Any, Dict, List, Optional, Sequence, Tuple

from evaluate import Node, graph_nodes, single_node
from invalid_cases import spoiled
from policies import POLICY_VALUES, Policy
from tensors import FLOATS, INTEGERS, Rejected, rounded

SLIDING_OPS = ("max_pool", "avg_pool", "smooth_max_pool")
OPS = {"max_pool": 22, "avg_pool": 18, "smooth_max_pool": 18, "adaptive_avg_pool": 8, "adaptive_max_pool": 8,
       "global_avg_pool": 6, "global_max_pool": 8, "graph": 12}
NODE_OPS = {op: weight for op, weight in OPS.items() if op != "graph"}
PROFILES = {None: 35, "torchlean": 12, "pytorch": 25, "onnx": 15, "tiny_pool": 13}
DTYPES = {"f64": 54, "f32": 20, "f16": 14, "bf16": 12}
RANKS = {1: 40, 2: 35, 3: 17, 4: 8}
LONGEST = {1: 12, 2: 6, 3: 4, 4: 3}
MOST_ELEMENTS = 40
INVALID_SHARE = 0.05
ROUNDING_POLICIES = ("accumulate", "accumulate_gradient", "deterministic", "intermediate_overflow", "subnormals")
STRUCT_CODES = {"f64": "<d", "f32": "<f", "f16": "<e", "bf16": "<f", "i8": "<b", "u8": "<B", "i32": "<i", "i64": "<q"}

Case = Dict[str, Any]


def weighted(random: Random, weights: Dict[Any, int]) -> Any:
    return random.choices(list(weights), list(weights.values()))[0]


def chance(random: Random, probability: float) -> bool:
    return random.random() < probability


def spatial_shape(random: Random, rank: int) -> List[int]:
    return [random.randint(1, LONGEST[rank]) for _ in range(rank)]


def input_shape(random: Random, rank: int, leading: int) -> List[int]:
    shape = [random.randint(1, 3) for _ in range(leading)] + spatial_shape(random, rank)
    while prod(shape) > MOST_ELEMENTS:
        axis = shape.index(max(shape))
        shape[axis] -= 1
    if leading and chance(random, 0.03):
        shape[random.randrange(leading)] = 0
    return shape


def sliding_attrs(random: Random, op: str, spatial: Sequence[int], tiny: bool, dtype: str) -> Dict[str, Any]:
    attrs: Dict[str, Any] = {}
    rank = len(spatial)
    widest = {1: 5, 2: 4, 3: 3, 4: 2}[rank]
    attrs["kernel"] = [min(random.randint(1, widest), length + chance(random, 0.15)) for length in spatial]
    if chance(random, 0.65):
        attrs["stride"] = [random.randint(1, 3) for _ in spatial]
    if op == "smooth_max_pool":
        attrs["beta"] = beta(random, dtype)
    if tiny:
        return attrs
    if chance(random, 0.12):
        attrs["auto_pad"] = random.choice(("valid", "same_upper", "same_lower"))
    elif chance(random, 0.55):
        attrs["pad_begin"] = [random.choice((0, kernel // 2, random.randint(0, 2))) for kernel in attrs["kernel"]]
        if chance(random, 0.4):
            attrs["pad_end"] = [random.choice((0, kernel // 2, random.randint(0, 3))) for kernel in attrs["kernel"]]
    if chance(random, 0.25):
        attrs["dilation"] = [random.randint(1, 3) for _ in spatial]
    if chance(random, 0.4):
        attrs["ceil_mode"] = chance(random, 0.75)
    if op == "avg_pool" and chance(random, 0.4):
        attrs["count_include_pad"] = chance(random, 0.3)
    if op == "avg_pool" and chance(random, 0.15):
        attrs["divisor_override"] = random.choice((1, 2, 3, 7, -2, -5, 1000))
    return attrs


def beta(random: Random, dtype: str) -> Any:
    ordinary = [1, -1, 0.5, 2, -3, 10, 0.1, -0.37, "0x1p+0", "-0x1.8p+1", "0x1p-7", "0x1.4p+5"]
    extreme = {"f64": [1e300, -1e250, 1e-300, "0x1p-1074"], "f32": [1e30, "-0x1p+120", 1e-40],
               "bf16": [1e30, "-0x1p+120"], "f16": [60000, "-0x1p-20"]}
    return random.choice(extreme[dtype] if chance(random, 0.12) else ordinary)


def pool_attrs(random: Random, op: str, shape: Sequence[int], rank: int, tiny: bool, dtype: str) -> Dict[str, Any]:
    spatial = shape[len(shape) - rank:]
    if op in SLIDING_OPS:
        attrs = sliding_attrs(random, op, spatial, tiny, dtype)
    elif op.startswith("adaptive"):
        attrs = {"output_size": [random.randint(1, length + chance(random, 0.2)) for length in spatial]}
    else:
        attrs = {"spatial_rank": rank}
        if chance(random, 0.5):
            attrs["keepdims"] = chance(random, 0.5)
    return attrs


def add_output_options(random: Random, case: Case, rank: int) -> None:
    attrs = case["attrs"]
    if "max_pool" in case["op"] and not case["op"].startswith("smooth") and case["mode"] == "forward":
        if chance(random, 0.4):
            attrs["return_indices"] = True
            if case.get("profile") == "tiny_pool" and rank == 2 and chance(random, 0.5):
                attrs["index_form"] = "row_column"
            elif chance(random, 0.1):
                attrs["index_form"] = "flat"
    if chance(random, 0.08):
        attrs["memory"] = random.choice(("contiguous", "channels_last", "strided"))


def policy(random: Random, op: str, profile: Optional[str]) -> Dict[str, Any]:
    chosen: Dict[str, Any] = {}
    if op == "smooth_max_pool" and profile == "onnx":
        return {"smooth_padding": random.choice(POLICY_VALUES["smooth_padding"]), "elementary_ulp": 4}
    if chance(random, 0.55):
        return chosen
    names = ["ties", "nan", *ROUNDING_POLICIES]
    if profile != "tiny_pool":
        names += ["signed_zero", "max_padding", "smooth_padding", "divisor", "ceil_rule", "empty_window",
                  "oversized_kernel", "padding_limit", "integer_mean"]
    for name in random.sample(names, random.randint(1, 5)):
        values = list(POLICY_VALUES[name])
        if name == "empty_window" and op in ("avg_pool", "graph"):
            values.remove("lowest")
        if name == "signed_zero" and op == "graph":
            values.remove("positive")
        chosen[name] = random.choice(values)
    if "nan" in chosen:
        chosen["nan_index"] = random.choice(POLICY_VALUES["nan_index"]) if chosen["nan"] == "propagate" else "open"
    return chosen


def graph_attrs(random: Random, case: Case, shape: Tuple[int, ...]) -> Dict[str, Any]:
    """Two to four nodes, each drawn for the shapes before it; fewer where nothing fits any more."""
    rules = Policy(case.get("profile", "torchlean"), case["policy"])
    nodes: List[Dict[str, Any]] = []
    shapes: List[Tuple[int, ...]] = [shape]
    for _ in range(random.randint(2, 4)):
        pairs = [(k, l) for k in range(len(shapes)) for l in range(len(shapes)) if shapes[k] == shapes[l]]
        if nodes and chance(random, 0.3):
            k, l = random.choice([pair for pair in pairs if len(shapes) - 1 in pair])
            nodes.append({"op": "add", "inputs": [k - 1, l - 1]})
            shapes.append(shapes[k])
            continue
        drawn = pooling_node(random, case, rules, shapes)
        if drawn is not None:
            nodes.append(drawn[0])
            shapes.append(drawn[1].shape)
    return {"nodes": nodes or [{"op": "add", "inputs": [-1, -1]}]}


def pooling_node(random: Random, case: Case, rules: Policy,
                 shapes: List[Tuple[int, ...]]) -> Optional[Tuple[Dict[str, Any], Node]]:
    for _ in range(10):
        source = len(shapes) - 1 if chance(random, 0.75) else random.randrange(len(shapes))
        shape = shapes[source]
        rank = random.randint(1, min(len(shape), 3)) if shape else 0
        if rank == 0 or 0 in shape[-rank:]:
            continue
        op = weighted(random, NODE_OPS)
        attrs = pool_attrs(random, op, shape, rank, False, case["dtype"])
        if "beta" in attrs:
            attrs["beta"] = random.choice((1, -1, 0.5, 2, -3))
        try:
            node = single_node(op, attrs, rules, case["dtype"], case["mode"], shape, [source - 1])
        except Rejected:
            continue
        return {"op": op, "attrs": attrs, "input": source - 1}, node
    return None


def output_shape(case: Case, shape: Tuple[int, ...]) -> Tuple[int, ...]:
    rules = Policy(case.get("profile", "torchlean"), case["policy"])
    if case["op"] == "graph":
        return graph_nodes(case["attrs"], rules, case["dtype"], case["mode"], shape)[-1].shape
    return single_node(case["op"], case["attrs"], rules, case["dtype"], case["mode"], shape, [-1]).shape


def drawn_value(random: Random, style: str, dtype: str) -> float:
    form = FLOATS[dtype]
    if style == "few":
        return float(random.randint(-2, 2))
    if style == "eighths":
        return random.randint(-64, 64) / 8
    if style == "decimal":
        exact = Fraction(random.randint(-999, 999), 100)
    else:
        spread = Fraction(2) ** random.randint(form.lowest_exponent - 4, form.highest_exponent - 1)
        exact = Fraction(random.randint(-2**20, 2**20), 2**20) * spread
    return float(rounded(exact, form))


def float_values(random: Random, count: int, dtype: str, special: float, wild: bool) -> List[float]:
    style = random.choices(("few", "eighths", "decimal", "wild"), (45, 20, 20, 15 if wild else 0))[0]
    values = [drawn_value(random, style, dtype) for _ in range(count)]
    if chance(random, special):
        rate = random.choice((0.05, 0.2, 0.5))
        words = random.choice(((float("nan"),), (float("inf"),), (float("-inf"),),
                               (float("nan"), float("inf"), float("-inf"), -0.0)))
        values = [random.choice(words) if chance(random, rate) else value for value in values]
    return [-value if value == 0 and chance(random, 0.3) else value for value in values]


def integer_values(random: Random, count: int, dtype: str) -> List[int]:
    form = INTEGERS[dtype]
    lowest, highest = (max(form.lowest, -3), 3) if chance(random, 0.7) else (form.lowest, form.highest)
    return [random.randint(lowest, highest) for _ in range(count)]


def encoded(random: Random, values: Sequence[float], dtype: str) -> str:
    def value_bytes(value: float) -> bytes:
        raw = struct.pack(STRUCT_CODES[dtype], value)
        if value != value and chance(random, 0.5):
            raw = b"\xff" * len(raw)
        return raw[2:] if dtype == "bf16" else raw
    return b"".join(map(value_bytes, values)).hex()


def text(value: float) -> str:
    return value.hex() if value - value == 0 else repr(value)


def is_plain(value: float) -> bool:
    return value - value == 0 and text(value) != "-0x0.0p+0"


def tensor_line(random: Random, shape: Sequence[int], dtype: str, special: float, wild: bool = True) -> Dict[str, Any]:
    count = prod(shape)
    result: Dict[str, Any] = {"shape": list(shape)}
    if chance(random, 0.2):
        result["dtype"] = dtype
    values = (integer_values(random, count, dtype) if dtype in INTEGERS
              else float_values(random, count, dtype, special, wild))
    style = random.choices(("hex", "numbers", "mixed", "bits"), (60, 12, 13, 15))[0]
    if style == "bits":
        result["bits"] = encoded(random, values, dtype)
    elif dtype in INTEGERS:
        result["data"] = values
    else:
        share = {"hex": 0.0, "numbers": 1.0, "mixed": 0.5}[style]
        result["data"] = [value if is_plain(value) and chance(random, share) else text(value) for value in values]
    return result


def drawn_case(random: Random) -> Case:
    """A case that may still turn out invalid under its profile; `input` and directions are not there yet."""
    profile = weighted(random, PROFILES)
    op = weighted(random, OPS)
    if profile == "tiny_pool":
        op = random.choice(("max_pool", "avg_pool"))
    modes = ("forward", "vjp") if profile == "tiny_pool" else ("forward", "forward", "jvp", "vjp")
    case: Case = {"op": op, "mode": random.choice(modes)}
    case["dtype"] = "f32" if profile == "tiny_pool" else weighted(random, DTYPES)
    if case["mode"] == "forward" and op not in ("smooth_max_pool", "graph") and profile != "tiny_pool":
        if chance(random, 0.25):
            case["dtype"] = random.choice(list(INTEGERS))
    if profile is not None:
        case["profile"] = profile
    case["policy"] = policy(random, op, profile)
    return case


def completed(random: Random, case: Case) -> Case:
    """Adds attributes and tensors; a rejection where the draw does not fit its profile."""
    tiny = case.get("profile") == "tiny_pool"
    rank = random.randint(1, 2) if tiny else weighted(random, RANKS)
    shape = tuple(input_shape(random, rank, 2 if tiny else random.choice((0, 1, 1, 2))))
    if case["op"] == "graph":
        case["attrs"] = graph_attrs(random, case, shape)
    else:
        case["attrs"] = pool_attrs(random, case["op"], shape, rank, tiny, case["dtype"])
        add_output_options(random, case, rank)
    special = 0.25 if case["mode"] == "forward" else 0.12
    case["input"] = tensor_line(random, shape, case["dtype"], special, wild=case["op"] != "graph")
    outputs = output_shape(case, shape)
    if case["mode"] == "jvp":
        case["tangent"] = tensor_line(random, shape, case["dtype"], 0.06, wild=case["op"] != "graph")
    if case["mode"] == "vjp":
        case["cotangent"] = tensor_line(random, outputs, case["dtype"], 0.06, wild=case["op"] != "graph")
    if case["dtype"] == "f64" and chance(random, 0.5):
        del case["dtype"]
    if not case["policy"] and chance(random, 0.8):
        del case["policy"]
    return case


def case_line(seed: int, index: int) -> str:
    random = Random(f"{seed}/{index}")
    while True:
        case = drawn_case(random)
        try:
            case = completed(random, case)
        except Rejected:
            if "input" in case and chance(random, 0.05):
                return json.dumps(case)
            continue
        if chance(random, INVALID_SHARE * 0.7):
            spoiled(random, case)
        return json.dumps(case)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=1000)
    chosen = options.parse_args()
    for index in range(chosen.count):
        print(case_line(chosen.seed, index))


if __name__ == "__main__":
    main()
