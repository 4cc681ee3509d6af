# SPDX-License-Identifier: Apache-2.0
"""tiny_pool's MaxPool1D, MaxPool2D, AvgPool1D and AvgPool2D, as its document describes them.

Plain loops over [batch, channels, length] and [batch, channels, height, width]; every sum and quotient is
rounded to f32. Where the document is silent: a strictly greater value replaces the winner, NaNs are passed
over, and the gradients of overlapping windows add up.
"""
import ctypes
import itertools
import math

from poolproof_adapter import Declined, Rejected, Tensor, serve


def f32(value):
    return ctypes.c_float(value).value


def windows(sizes, kernel, stride):
    """The output's sizes, and the positions within one channel that each output sees, in row-major order."""
    outputs = [(n - k) // s + 1 for n, k, s in zip(sizes, kernel, stride)]
    steps = [math.prod(sizes[axis + 1:]) for axis in range(len(sizes))]
    taps = [sum(i * step for i, step in zip(tap, steps)) for tap in itertools.product(*map(range, kernel))]
    corners = [sum(o * s * step for o, s, step in zip(output, stride, steps))
               for output in itertools.product(*map(range, outputs))]
    return outputs, [[corner + tap for tap in taps] for corner in corners]


class MaxPool:
    def forward(self, channel, seen):
        """The maxima; `mask` keeps where they are."""
        y, self.mask = [], []
        for positions in seen:
            best, at = math.nan, positions[0]
            for k in positions:
                if channel[k] > best or (math.isnan(best) and not math.isnan(channel[k])):
                    best, at = channel[k], k
            y.append(best)
            self.mask.append(at)
        return y

    def backward(self, channel, seen, gradient):
        self.forward(channel, seen)
        g = [0.0] * len(channel)
        for at, value in zip(self.mask, gradient):
            g[at] = f32(g[at] + value)
        return g


class AvgPool:
    def forward(self, channel, seen):
        y = []
        for positions in seen:
            total = 0.0
            for k in positions:
                total = f32(total + channel[k])
            y.append(f32(total / len(positions)))
        return y

    def backward(self, channel, seen, gradient):
        g = [0.0] * len(channel)
        for positions, value in zip(seen, gradient):
            share = f32(value / len(positions))
            for k in positions:
                g[k] = f32(g[k] + share)
        return g


LAYERS = {"max_pool": MaxPool, "avg_pool": AvgPool}


def check(case):
    attrs, rank = case["attrs"], len(case["attrs"]["kernel"])
    if case["op"] not in LAYERS or case["dtype"] != "f32" or case["mode"] == "jvp" or rank not in (1, 2):
        raise Declined("tiny_pool has 1-D and 2-D max and average pooling of f32, forward and backward")
    if len(case["input"].shape) != rank + 2:
        raise Rejected(f"the input has {len(case['input'].shape)} axes, not batch, channels and {rank} more")
    if "auto_pad" in attrs or any(attrs["pad_begin"] + attrs["pad_end"]) or set(attrs["dilation"]) != {1}:
        raise Rejected("tiny_pool has neither padding nor dilation")
    if attrs["ceil_mode"] or "divisor_override" in attrs or not attrs["count_include_pad"]:
        raise Rejected("tiny_pool drops the edge and divides by the kernel's size")
    if len(attrs["stride"]) != rank or min(*attrs["kernel"], *attrs["stride"]) < 1:
        raise Rejected("kernel and stride must be at least 1 on each axis")
    if any(k > n for k, n in zip(attrs["kernel"], case["input"].shape[2:])):
        raise Rejected("the kernel is larger than the input")


def mask_tensor(attrs, shape, width, mask):
    """`mask` as positions in the channel, or as MaxPool2D packs it: row and column, side by side."""
    if attrs.get("index_form") != "row_column":
        return Tensor.of("i64", shape, mask)
    pairs = itertools.chain.from_iterable(divmod(at, width) for at in mask)
    return Tensor.of("f32", [*shape[:-1], 2 * shape[-1]], pairs)


def run(case):
    check(case)
    attrs, x = case["attrs"], case["input"]
    sizes = x.shape[2:]
    outputs, seen = windows(sizes, attrs["kernel"], attrs["stride"])
    shape, layer, values = [*x.shape[:2], *outputs], LAYERS[case["op"]](), x.values()
    channels = [values[k:k + math.prod(sizes)] for k in range(0, len(values), math.prod(sizes))]
    if case["mode"] == "vjp":
        gradient = iter(case["cotangent"].values())
        dx = [layer.backward(channel, seen, list(itertools.islice(gradient, len(seen)))) for channel in channels]
        return {"dx": Tensor.of("f32", x.shape, itertools.chain.from_iterable(dx))}
    y, mask = [], []
    for channel in channels:
        y += layer.forward(channel, seen)
        mask += getattr(layer, "mask", [])
    answer = {"y": Tensor.of("f32", shape, y)}
    if attrs["return_indices"]:
        answer["indices"] = mask_tensor(attrs, shape, sizes[-1], mask)
    return answer


CAPABILITIES = {"ops": ["max_pool", "avg_pool"], "modes": ["forward", "vjp"], "dtypes": ["f32"],
                "spatial_ranks": [1, 2], "leading_axes": [2], "attrs": ["return_indices", "index_form"],
                "memory": ["contiguous"]}

if __name__ == "__main__":
    serve(run, name="tiny_pool", version="document", profile="tiny_pool", capabilities=CAPABILITIES)
