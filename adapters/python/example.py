# SPDX-License-Identifier: Apache-2.0
"""A whole adapter in plain Python: max and average pooling, forward, of any spatial rank."""
import itertools, json, math, struct, sys

HELLO = {"type": "hello", "protocol": 1, "name": "example", "version": "1.0", "profile": "onnx",
         "capabilities": {"ops": ["max_pool", "avg_pool"], "modes": ["forward"], "dtypes": ["f64", "f32"],
                          "attrs": [], "memory": ["contiguous"]}}


def pooled(op, x, sizes, outputs, attrs):
    """One slice: `x` is its values, row by row."""
    geometry = list(zip(sizes, attrs["kernel"], attrs["stride"], attrs["pad_begin"]))
    for corner in itertools.product(*map(range, outputs)):
        axes = [[i for i in range(o * s - p, o * s - p + k) if 0 <= i < n]
                for o, (n, k, s, p) in zip(corner, geometry)]
        cells = [x[sum(i * math.prod(sizes[a + 1:]) for a, i in enumerate(cell))]
                 for cell in itertools.product(*axes)]
        yield max(cells, default=-math.inf) if op == "max_pool" else sum(cells) / math.prod(attrs["kernel"])


def answer(case):
    attrs, shape = case["attrs"], case["input"]["shape"]
    rank = len(attrs["kernel"])
    attrs = {"stride": attrs["kernel"], "pad_begin": [0] * rank, **attrs}
    sizes, letter = shape[-rank:], {"f64": "d", "f32": "f"}[case["dtype"]]
    outputs = [(n + 2 * p - k) // s + 1
               for n, k, s, p in zip(sizes, attrs["kernel"], attrs["stride"], attrs["pad_begin"])]
    if len(sizes) < rank or min(outputs) < 1:
        return {"rejected": "the kernel does not fit into the padded input"}
    x = [v for v, in struct.iter_unpack("<" + letter, bytes.fromhex(case["input"]["bits"]))]
    y = [v for k in range(0, len(x), math.prod(sizes))
         for v in pooled(case["op"], x[k:k + math.prod(sizes)], sizes, outputs, attrs)]
    return {"outputs": {"y": {"dtype": case["dtype"], "shape": shape[:-rank] + outputs,
                              "bits": struct.pack(f"<{len(y)}{letter}", *y).hex()}}}


for line in sys.stdin:
    message = json.loads(line)
    reply = HELLO if message["type"] == "hello" else {"id": message["id"], **answer(message["case"])}
    print(json.dumps(reply), flush=True)
