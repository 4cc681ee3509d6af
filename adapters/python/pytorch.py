# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU: its pooling functions, `torch.func.jvp` and `torch.autograd.grad`. Needs NumPy.

PyTorch pools with one or two leading axes (channels, or batch and channels); other numbers are folded into
these. It has no smooth maximum: that one is composed of its tensor operations, in pytorch_smooth_max.py.
"""
from poolproof_adapter import Declined, Rejected, Tensor, serve

import math
import warnings

import torch
import torch.nn.functional as F

from pytorch_smooth_max import smooth_max_pool

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def to_torch(tensor):
    if 0 in tensor.shape:
        return torch.empty(tensor.shape, dtype=DTYPES[tensor.dtype])
    return torch.frombuffer(tensor.raw, dtype=DTYPES[tensor.dtype]).reshape(tensor.shape)


def from_torch(y):
    raw = y.detach().contiguous().reshape(-1).view(torch.uint8)
    return Tensor(NAMES[y.dtype], y.shape, raw.numpy().tobytes())


def laid_out(x, memory, rank):
    """The same values in another order of memory."""
    if memory == "channels_last":
        return x.movedim(-rank - 1, -1).contiguous().movedim(-1, -rank - 1)
    return x.repeat_interleave(2, -1)[..., ::2] if memory == "strided" else x


def padding(attrs):
    if "auto_pad" in attrs or attrs["pad_begin"] != attrs["pad_end"]:
        raise Declined("PyTorch's pooling pads both ends alike")
    return attrs["pad_begin"]


def max_pool(x, rank, attrs):
    pool = getattr(F, f"max_pool{rank}d")
    return pool(x, attrs["kernel"], attrs["stride"], padding(attrs), attrs["dilation"], attrs["ceil_mode"],
                return_indices=attrs["return_indices"])


def avg_pool(x, rank, attrs):
    if set(attrs["dilation"]) != {1}:
        raise Declined("PyTorch's average pooling has no dilation")
    pool = getattr(F, f"avg_pool{rank}d")
    divisor = {"divisor_override": attrs["divisor_override"]} if "divisor_override" in attrs else {}
    return pool(x, attrs["kernel"], attrs["stride"], padding(attrs), attrs["ceil_mode"],
                attrs["count_include_pad"], **divisor)


def adaptive_max_pool(x, rank, attrs):
    pool = getattr(F, f"adaptive_max_pool{rank}d")
    return pool(x, attrs["output_size"], return_indices=attrs["return_indices"])


def adaptive_avg_pool(x, rank, attrs):
    return getattr(F, f"adaptive_avg_pool{rank}d")(x, attrs["output_size"])


def whole(pool):
    """A global op: `pool` with one bin per axis."""
    return lambda x, rank, attrs: pool(x, rank, {**attrs, "output_size": [1] * rank})


OPS = {"max_pool": max_pool, "avg_pool": avg_pool, "smooth_max_pool": smooth_max_pool,
       "adaptive_max_pool": adaptive_max_pool, "adaptive_avg_pool": adaptive_avg_pool,
       "global_max_pool": whole(adaptive_max_pool), "global_avg_pool": whole(adaptive_avg_pool)}


def spatial_rank(attrs):
    sizes = attrs["kernel"] if "kernel" in attrs else attrs.get("output_size", [])
    return attrs.get("spatial_rank", len(sizes))


def pooled(op, attrs, x):
    """The result of one op, and its indices if asked for."""
    rank = spatial_rank(attrs)
    leading, spatial = x.shape[:x.dim() - rank], x.shape[x.dim() - rank:]
    if 0 in leading:
        x = x.reshape(0, 1, *spatial)
    elif len(leading) not in (1, 2):
        x = x.reshape(1, math.prod(leading), *spatial)
    results = OPS[op](x, rank, attrs)
    keep = rank if attrs["keepdims"] else 0
    shaped = [y.reshape((*leading, *y.shape[y.dim() - rank:][:keep]))
              for y in (results if isinstance(results, tuple) else [results])]
    return shaped[0], shaped[1] if len(shaped) > 1 else None


def graph(nodes, x):
    values = [x]  # behind index -1 + 1 is the graph's input
    for node in nodes:
        if node["op"] == "add":
            values.append(values[node["inputs"][0] + 1] + values[node["inputs"][1] + 1])
        else:
            values.append(pooled(node["op"], node["attrs"], values[node["input"] + 1])[0])
    return values[-1], None


def answers(case):
    op, attrs, mode = case["op"], case["attrs"], case["mode"]
    function = (lambda x: graph(attrs["nodes"], x)) if op == "graph" else (lambda x: pooled(op, attrs, x))
    x = to_torch(case["input"])
    if op != "graph":
        x = laid_out(x, attrs.get("memory"), spatial_rank(attrs))
    if mode == "jvp":
        return {"dy": torch.func.jvp(lambda v: function(v)[0], (x,), (to_torch(case["tangent"]),))[1]}
    if mode == "vjp":
        y, _ = function(x.requires_grad_())
        return {"dx": torch.autograd.grad(y, x, to_torch(case["cotangent"]), materialize_grads=True)[0]}
    y, indices = function(x)
    return {"y": y} if indices is None else {"y": y, "indices": indices}


def run(case):
    try:
        return {name: from_torch(y) for name, y in answers(case).items()}
    except NotImplementedError:
        raise  # declared, and not there
    except (RuntimeError, ValueError, TypeError) as why:
        raise Rejected(str(why).splitlines()[0])


def capabilities():
    """Found by trying torch 2.13.0, and kept as found: a version that lacks something is to be noticed."""
    floats, integers = ["f64", "f32", "f16", "bf16"], ["i8", "u8", "i32", "i64"]
    every = ["forward", "jvp", "vjp"]
    others = [name for name in OPS if name != "avg_pool"]
    any_graph = ["beta", "ceil_mode", "count_include_pad", "keepdims"]
    rows = [  # ops, modes, dtypes, ranks, attributes
        (["max_pool"], every, floats, [1, 2, 3], ["dilation", "ceil_mode", "return_indices"]),
        (["max_pool"], ["forward"], integers, [2, 3], ["dilation", "ceil_mode", "return_indices"]),
        (["avg_pool"], every, floats, [1], ["ceil_mode", "count_include_pad"]),
        (["avg_pool"], every, floats, [2], ["ceil_mode", "count_include_pad", "divisor_override"]),
        (["avg_pool"], every, ["f64", "f32"], [3], ["ceil_mode", "count_include_pad", "divisor_override"]),
        (["avg_pool"], ["forward"], ["i64"], [1], ["ceil_mode", "count_include_pad"]),
        (["avg_pool"], ["forward"], ["i64"], [2, 3], ["ceil_mode", "count_include_pad", "divisor_override"]),
        (["smooth_max_pool"], every, floats, None, ["beta", "dilation", "ceil_mode", "asymmetric_padding"]),
        (others[2:], every, floats, [1, 2, 3], ["return_indices", "keepdims"]),
        (["graph", *others], every, floats, [1, 2, 3], [*any_graph, "dilation"]),
        (["graph", *OPS], every, floats, [1, 2], any_graph),
        (["graph", *OPS], every, floats, [2], [*any_graph, "divisor_override"]),
        (["graph", *OPS], every, ["f64", "f32"], [1, 2, 3], any_graph),
        (["graph", *OPS], every, ["f64", "f32"], [2, 3], [*any_graph, "divisor_override"]),
    ]
    fields = ("ops", "modes", "dtypes", "spatial_ranks", "attrs")
    tables = [{name: value for name, value in zip(fields, row) if value is not None} for row in rows]
    return [{**table, "memory": ["contiguous"]} for table in tables] + [
        {**table, "leading_axes": [1, 2], "memory": ["channels_last", "strided"]}
        for table in tables if "graph" not in table["ops"]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    serve(run, name="torch", version=torch.__version__, profile="pytorch", capabilities=capabilities())
