# SPDX-License-Identifier: Apache-2.0
"""Checks an operator's attributes and lists its windows, one tap at a time.

A tap is the row-major position of a real cell in its spatial block, or PADDING. What a policy says takes no
part (ignored padding, taps past the padded input under a clipped divisor) is not in the window at all.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any, Dict, List, NamedTuple, Tuple

from policies import Policy
from tensors import FLOATS, INTEGERS, Rejected, number

PADDING = -1
LARGEST_ATTRIBUTE = 2**31 - 1

SLIDING = ("kernel", "stride", "pad_begin", "pad_end", "auto_pad", "dilation", "ceil_mode", "memory")
INDEXED = ("return_indices", "index_form")
ATTRIBUTES = {
    "max_pool": SLIDING + INDEXED,
    "avg_pool": SLIDING + ("count_include_pad", "divisor_override"),
    "smooth_max_pool": SLIDING + ("beta",),
    "adaptive_avg_pool": ("output_size", "memory"),
    "adaptive_max_pool": ("output_size", "memory") + INDEXED,
    "global_avg_pool": ("spatial_rank", "keepdims", "memory"),
    "global_max_pool": ("spatial_rank", "keepdims", "memory") + INDEXED,
}
WORDS = {"auto_pad": ("valid", "same_upper", "same_lower"), "index_form": ("flat", "row_column"),
         "memory": ("contiguous", "channels_last", "strided")}
FLAGS = ("ceil_mode", "count_include_pad", "keepdims", "return_indices")
LOWEST_ENTRY = {"kernel": 1, "stride": 1, "dilation": 1, "pad_begin": 0, "pad_end": 0, "output_size": 0}

Window = List[int]


class Axis(NamedTuple):
    """One sliding dimension, pads and output size settled."""

    length: int
    kernel: int
    stride: int
    dilation: int
    pad_begin: int
    pad_end: int
    outputs: int


class Layout(NamedTuple):
    """Where an operator's windows are; `output_shape` has the leading axes too."""

    spatial: Tuple[int, ...]
    windows: List[Window]
    output_shape: Tuple[int, ...]


def is_integer(item: Any) -> bool:
    return type(item) is int and abs(item) <= LARGEST_ATTRIBUTE


def check_attributes(op: str, attrs: Dict[str, Any]) -> None:
    for name, value in attrs.items():
        if name not in ATTRIBUTES[op]:
            raise Rejected(f"{op} has no attribute {name!r}")
        if name in WORDS and (not isinstance(value, str) or value not in WORDS[name]):
            raise Rejected(f"attrs.{name} is {value!r}; it can be {', '.join(WORDS[name])}")
        if name in FLAGS and type(value) is not bool:
            raise Rejected(f"attrs.{name} must be true or false")
        if name in LOWEST_ENTRY:
            check_list(name, value)
    for name in ("kernel", "output_size", "spatial_rank", "beta"):
        if name in ATTRIBUTES[op] and name not in attrs:
            raise Rejected(f"{op} needs attrs.{name}")
    if "divisor_override" in attrs and (not is_integer(attrs["divisor_override"]) or attrs["divisor_override"] == 0):
        raise Rejected("attrs.divisor_override must be an integer other than 0")
    if "spatial_rank" in attrs and (not is_integer(attrs["spatial_rank"]) or attrs["spatial_rank"] < 1):
        raise Rejected("attrs.spatial_rank must be a positive integer")
    if "auto_pad" in attrs and ("pad_begin" in attrs or "pad_end" in attrs):
        raise Rejected("attrs.auto_pad stands in place of explicit pads; give one of them")


def check_list(name: str, value: Any) -> None:
    if not isinstance(value, list) or not all(is_integer(entry) for entry in value) or not value:
        raise Rejected(f"attrs.{name} must be a list of integers, one per spatial axis")
    if min(value) < LOWEST_ENTRY[name]:
        raise Rejected(f"attrs.{name} holds {min(value)}, the least is {LOWEST_ENTRY[name]}")


def beta_of(attrs: Dict[str, Any], dtype: str) -> Any:
    if dtype not in FLOATS:
        raise Rejected("smooth_max_pool has no integer dtypes")
    beta = number(attrs["beta"], dtype).value
    if isinstance(beta, str) or beta == 0:
        raise Rejected(f"beta is {beta} in {dtype}; it must be finite and not 0")
    return beta


def spatial_rank(op: str, attrs: Dict[str, Any]) -> int:
    if op.startswith("global"):
        return attrs["spatial_rank"]
    return len(attrs["output_size"] if op.startswith("adaptive") else attrs["kernel"])


def check_tiny_pool(attrs: Dict[str, Any], dtype: str, rank: int, shape: Tuple[int, ...]) -> None:
    outside = [
        (dtype != "f32", f"dtype {dtype}"),
        (rank > 2, f"spatial rank {rank}"),
        (len(shape) != rank + 2, "other than two leading axes"),
        (max(attrs.get("dilation", [1])) > 1, "dilation"),
        ("pad_end" in attrs and attrs["pad_end"] != attrs.get("pad_begin", [0] * rank), "unequal padding"),
        ("auto_pad" in attrs, "auto_pad"),
        ("divisor_override" in attrs, "divisor_override"),
        (not attrs.get("count_include_pad", True), "uncounted padding"),
    ]
    for is_outside, what in outside:
        if is_outside:
            raise Rejected(f"{what} is outside the profile tiny_pool")


def check_index_form(attrs: Dict[str, Any], policy: Policy, rank: int) -> None:
    if attrs.get("index_form", "flat") == "row_column" and (policy.profile != "tiny_pool" or rank != 2):
        raise Rejected("index_form row_column is for two spatial axes under tiny_pool")


def layout(op: str, attrs: Dict[str, Any], policy: Policy, dtype: str, shape: Tuple[int, ...]) -> Layout:
    check_attributes(op, attrs)
    rank = spatial_rank(op, attrs)
    if len(shape) < rank:
        raise Rejected(f"an input of rank {len(shape)} has no {rank} spatial axes")
    spatial, leading = shape[len(shape) - rank:], shape[:len(shape) - rank]
    if 0 in spatial:
        raise Rejected("a spatial axis has size 0")
    if policy.profile == "tiny_pool":
        check_tiny_pool(attrs, dtype, rank, shape)
    check_index_form(attrs, policy, rank)
    if op.startswith("global"):
        outputs = (1,) * rank if attrs.get("keepdims", True) else ()
        return Layout(spatial, [list(range(prod(spatial)))], leading + outputs)
    if op.startswith("adaptive"):
        sizes = attrs["output_size"]
        if 0 in sizes and policy.profile != "pytorch":
            raise Rejected("attrs.output_size holds 0")
        return Layout(spatial, adaptive_windows(spatial, sizes), leading + tuple(sizes))
    axes = sliding_axes(op, attrs, policy, spatial)
    windows = sliding_windows(op, axes, policy)
    check_empty_windows(op, windows, attrs, policy)
    return Layout(spatial, windows, leading + tuple(axis.outputs for axis in axes))


def row_major(coordinates: Tuple[int, ...], sizes: Tuple[int, ...]) -> int:
    position = 0
    for coordinate, size in zip(coordinates, sizes):
        position = position * size + coordinate
    return position


def adaptive_windows(spatial: Tuple[int, ...], sizes: List[int]) -> List[Window]:
    windows = []
    for output in product(*map(range, sizes)):
        bins = [range(i * length // size, -(-(i + 1) * length // size))
                for i, length, size in zip(output, spatial, sizes)]
        windows.append([row_major(cell, spatial) for cell in product(*bins)])
    return windows


def sliding_axes(op: str, attrs: Dict[str, Any], policy: Policy, spatial: Tuple[int, ...]) -> List[Axis]:
    kernel = attrs["kernel"]
    stride = attrs.get("stride", kernel)
    dilation = attrs.get("dilation", [1] * len(kernel))
    pad_begin = attrs.get("pad_begin", [0] * len(kernel))
    pad_end = attrs.get("pad_end", pad_begin)
    for name, entries in (("stride", stride), ("dilation", dilation), ("pad_begin", pad_begin), ("pad_end", pad_end)):
        if len(entries) != len(kernel):
            raise Rejected(f"attrs.{name} has {len(entries)} entries, kernel has {len(kernel)}")
    axes = [sliding_axis(attrs, policy, *entries)
            for entries in zip(spatial, kernel, stride, dilation, pad_begin, pad_end)]
    if op == "max_pool" and any(axis.pad_begin or axis.pad_end for axis in axes):
        policy.require("max_padding")
    if op == "smooth_max_pool":
        policy.require("smooth_padding")
        policy.require("elementary_ulp")
    return axes


def sliding_axis(attrs: Dict[str, Any], policy: Policy, length: int, kernel: int, stride: int, dilation: int,
                 pad_begin: int, pad_end: int) -> Axis:
    reach = dilation * (kernel - 1) + 1
    auto_pad = attrs.get("auto_pad", "valid")
    if auto_pad != "valid":
        outputs = -(-length // stride)
        total = max((outputs - 1) * stride + reach - length, 0)
        small, large = total // 2, total - total // 2
        pad_begin, pad_end = (small, large) if auto_pad == "same_upper" else (large, small)
        check_padding(policy, kernel, pad_begin, pad_end)
        return Axis(length, kernel, stride, dilation, pad_begin, pad_end, outputs)
    check_padding(policy, kernel, pad_begin, pad_end)
    room = length + pad_begin + pad_end - reach
    oversized = policy["oversized_kernel"]
    if room < 0 and oversized == "reject":
        raise Rejected("the dilated kernel is wider than the padded input")
    if room < 0 and oversized == "one_window":
        room = 0
    outputs = room // stride + 1
    if attrs.get("ceil_mode", False):
        outputs = -(-room // stride) + 1
        if policy["ceil_rule"] != "keep" and (outputs - 1) * stride >= length + pad_begin:
            outputs -= 1
    if outputs < 1:
        raise Rejected("the kernel leaves no output")
    return Axis(length, kernel, stride, dilation, pad_begin, pad_end, outputs)


def check_padding(policy: Policy, kernel: int, pad_begin: int, pad_end: int) -> None:
    limit = policy["padding_limit"]
    widest = max(pad_begin, pad_end)
    if (limit == "zero" and widest > 0) or (limit == "half_kernel" and 2 * widest > kernel):
        raise Rejected(f"padding {widest} of a kernel of {kernel} is beyond the limit {limit}")


def sliding_windows(op: str, axes: List[Axis], policy: Policy) -> List[Window]:
    windows = []
    spatial = tuple(axis.length for axis in axes)
    for output in product(*(range(axis.outputs) for axis in axes)):
        window = []
        for offset in product(*(range(axis.kernel) for axis in axes)):
            cell = tuple(o * axis.stride - axis.pad_begin + k * axis.dilation
                         for o, k, axis in zip(output, offset, axes))
            if all(0 <= c < axis.length for c, axis in zip(cell, axes)):
                window.append(row_major(cell, spatial))
            elif padding_takes_part(op, cell, axes, policy):
                window.append(PADDING)
        windows.append(window)
    return windows


def padding_takes_part(op: str, cell: Tuple[int, ...], axes: List[Axis], policy: Policy) -> bool:
    inside = all(-axis.pad_begin <= c < axis.length + axis.pad_end for c, axis in zip(cell, axes))
    if op == "max_pool" and policy["max_padding"] == "ignored":
        return False
    if op == "smooth_max_pool" and policy["smooth_padding"] == "ignored":
        return False
    return inside or policy["divisor"] == "kernel"


def divisor(window: Window, attrs: Dict[str, Any]) -> int:
    """Of an average; 0 for an empty window."""
    if "divisor_override" in attrs:
        return attrs["divisor_override"]
    if attrs.get("count_include_pad", True):
        return len(window)
    return sum(tap != PADDING for tap in window)


def check_empty_windows(op: str, windows: List[Window], attrs: Dict[str, Any], policy: Policy) -> None:
    empty = any((divisor(window, attrs) == 0 if op == "avg_pool" else not window) for window in windows)
    if empty and policy["empty_window"] == "reject":
        raise Rejected("a window holds no real cell")


def check_dtype(op: str, dtype: str, mode: str) -> None:
    if dtype in INTEGERS and (op == "smooth_max_pool" or mode != "forward"):
        raise Rejected(f"{op} {mode} has no integer dtypes")
