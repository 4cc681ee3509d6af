# SPDX-License-Identifier: Apache-2.0
"""A pooling in NumPy, tested by exported vectors: poolproof vectors export --format pytest --out DIR, then
POOLPROOF_VECTORS=DIR pytest."""

import itertools
import os
import sys

import numpy
import pytest

sys.path.insert(0, os.environ.get("POOLPROOF_VECTORS", "."))
import poolproof_vectors  # noqa: E402  (the export)


def suits(vector):
    """Maxima and averages without the options that this implementation does not have."""
    case = vector.case
    return (vector.dtype in ("f64", "f32") and not vector.rejected and case["op"] in ("max_pool", "avg_pool")
            and case["mode"] == "forward" and "policy" not in case and "auto_pad" not in case["attrs"]
            and not {"ceil_mode", "divisor_override", "memory"} & set(case["attrs"])
            and not {"oversized_kernel", "empty_window", "format_limits"} & set(vector.flags))


def pooled(x, case):
    attrs = case["attrs"]
    kernel = attrs["kernel"]
    rank = len(kernel)
    stride = attrs.get("stride", kernel)
    begin = attrs.get("pad_begin", [0] * rank)
    end = attrs.get("pad_end", begin)
    dilation = attrs.get("dilation", [1] * rank)
    lead = x.ndim - rank
    pads = [(0, 0)] * lead + list(zip(begin, end))
    is_max = case["op"] == "max_pool"
    padded = numpy.pad(x, pads, constant_values=-numpy.inf if is_max else 0)
    real = numpy.pad(numpy.ones(x.shape), pads)
    out = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(padded.shape[lead:], kernel, dilation, stride)]
    y = numpy.empty(list(x.shape[:lead]) + out, x.dtype)
    for at in itertools.product(*map(range, out)):
        window = (...,) + tuple(slice(o * s, o * s + (k - 1) * d + 1, d) for o, s, k, d in zip(at, stride, kernel, dilation))
        axes = tuple(range(lead, x.ndim))
        if is_max:
            y[(...,) + at] = padded[window].max(axis=axes)
            continue
        counted = attrs.get("count_include_pad", True)
        divisor = numpy.prod(kernel) if counted else real[window].sum(axis=axes)
        y[(...,) + at] = padded[window].sum(axis=axes, dtype=numpy.float64) / divisor
    return y


@pytest.mark.parametrize("vector", poolproof_vectors.parameters(suits))
def test_numpy_pooling(vector):
    with numpy.errstate(all="ignore"):
        assert vector.wrong(pooled(vector.input, vector.case)) == []


def test_a_wrong_answer_is_seen():
    vector = next(p.values[0] for p in poolproof_vectors.parameters(suits) if p.values[0].array("permitted").any())
    assert vector.wrong(vector.array("highest") * 3 + 1) != []
