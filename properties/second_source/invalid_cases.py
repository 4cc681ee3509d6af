# SPDX-License-Identifier: Apache-2.0
"""Ways to spoil a valid case so that every profile must reject it.

Each spoiler changes the case in place and returns whether it applied.
"""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any, Callable, Dict, List

Case = Dict[str, Any]
REQUIRED = ("kernel", "output_size", "spatial_rank", "beta", "nodes")


def without_required_attribute(random: Random, case: Case) -> bool:
    del case["attrs"][random.choice([name for name in REQUIRED if name in case["attrs"]])]
    return True


def with_unknown_attribute(random: Random, case: Case) -> bool:
    case["attrs"][random.choice(("kernal", "padding", "axis"))] = [1]
    return True


def with_foreign_attribute(random: Random, case: Case) -> bool:
    foreign = {"max_pool": "divisor_override", "avg_pool": "beta", "smooth_max_pool": "count_include_pad",
               "adaptive_avg_pool": "kernel", "adaptive_max_pool": "stride", "global_avg_pool": "output_size",
               "global_max_pool": "ceil_mode", "graph": "kernel"}
    case["attrs"][foreign[case["op"]]] = {"divisor_override": 2, "beta": 1, "count_include_pad": True,
                                          "ceil_mode": False}.get(foreign[case["op"]], [1])
    return True


def with_null_attribute(random: Random, case: Case) -> bool:
    case["attrs"][random.choice(list(case["attrs"]))] = None
    return True


def with_entry_out_of_range(random: Random, case: Case) -> bool:
    name, entry = random.choice((("kernel", 0), ("stride", 0), ("dilation", 0), ("pad_begin", -1), ("kernel", 2**31),
                                 ("stride", -2), ("stride", 1.5)))
    if "kernel" not in case["attrs"]:
        return False
    case["attrs"][name] = [entry] * len(case["attrs"]["kernel"])
    return True


def with_entries_missing(random: Random, case: Case) -> bool:
    if "kernel" not in case["attrs"]:
        return False
    case["attrs"]["stride"] = [1] * (len(case["attrs"]["kernel"]) + 1)
    return True


def with_empty_kernel(random: Random, case: Case) -> bool:
    if "kernel" not in case["attrs"]:
        return False
    case["attrs"] = {**case["attrs"], "kernel": []}
    return True


def with_two_paddings(random: Random, case: Case) -> bool:
    if "kernel" not in case["attrs"]:
        return False
    case["attrs"].update(auto_pad="same_upper", pad_begin=[1] * len(case["attrs"]["kernel"]))
    return True


def with_a_bad_number(random: Random, case: Case) -> bool:
    data = case["input"].get("data")
    if not data:
        return False
    integer = case.get("dtype", "f64")[0] in "iu"
    data[random.randrange(len(data))] = random.choice((0.5, 2**70, None) if integer else
                                                      ("0x1.00000000000000001p+0", "0x1p+5000", "one", True, None))
    return True


def with_a_short_tensor(random: Random, case: Case) -> bool:
    for form in ("data", "bits"):
        if case["input"].get(form):
            case["input"][form] = case["input"][form][:-1]
            return True
    return False


def with_an_unknown_word(random: Random, case: Case) -> bool:
    place, word = random.choice((("op", "median_pool"), ("mode", "backward"), ("dtype", "f8"), ("profile", "numpy"),
                                 ("policy", {"tie": "first"}), ("policy", {"ties": "middle"}), ("policy", None)))
    case[place] = word
    return True


def with_an_empty_spatial_axis(random: Random, case: Case) -> bool:
    shape: List[int] = case["input"]["shape"]
    if case["op"] == "graph":
        return False
    shape[-1] = 0
    case["input"].pop("bits", None)
    case["input"]["data"] = []
    return True


def with_a_wrong_direction(random: Random, case: Case) -> bool:
    name = {"jvp": "tangent", "vjp": "cotangent"}.get(case["mode"])
    if name is None:
        return False
    if random.random() < 0.5:
        del case[name]
    else:
        case[name]["shape"] = case[name]["shape"] + [2]
    return True


def with_a_bad_beta(random: Random, case: Case) -> bool:
    if "beta" not in case["attrs"]:
        return False
    case["attrs"]["beta"] = random.choice((0, 0.0, "0x0p+0", "inf", "nan", True))
    return True


def with_a_bad_node(random: Random, case: Case) -> bool:
    if case["op"] != "graph":
        return False
    nodes = case["attrs"]["nodes"]
    nodes.append(random.choice(({"op": "avg_pool", "attrs": {"kernel": [1]}, "input": len(nodes)},
                                {"op": "avg_pool", "attrs": {"kernel": [0]}, "input": -1},
                                {"op": "add", "inputs": [-1]},
                                {"op": "add", "inputs": [-1, -2]},
                                {"op": "graph", "attrs": {"nodes": []}, "input": -1})))
    return True


def with_an_integer_derivative(random: Random, case: Case) -> bool:
    if case["mode"] == "forward" or "dtype" in case["input"]:
        return False
    case["dtype"] = "i32"
    case["input"] = {"shape": case["input"]["shape"], "bits": "00000000" * prod(case["input"]["shape"])}
    return True


SPOILERS: List[Callable[[Random, Case], bool]] = [
    without_required_attribute, with_unknown_attribute, with_foreign_attribute, with_null_attribute,
    with_entry_out_of_range, with_entries_missing, with_empty_kernel, with_two_paddings, with_a_bad_number,
    with_a_short_tensor, with_an_unknown_word, with_an_empty_spatial_axis, with_a_wrong_direction, with_a_bad_beta,
    with_a_bad_node, with_an_integer_derivative,
]


def spoiled(random: Random, case: Case) -> None:
    while not random.choice(SPOILERS)(random, case):
        pass
