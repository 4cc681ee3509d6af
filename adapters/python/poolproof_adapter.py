# SPDX-License-Identifier: Apache-2.0
"""Speaks the adapter protocol (docs/ADAPTERS.md) for a function `run(case)`, in JSON lines or binary frames.

Import it before the framework: from here on, whatever is printed goes to standard error. `run` gets the case,
its attributes complete, returns {"y": Tensor, ..} or raises Declined or Rejected. `array` needs NumPy.
"""
import json, math, os, struct, sys, traceback, zlib
REQUESTS, REPLIES = os.dup(0), os.dup(1)  # nobody else is to read or write these
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
LETTERS = {"f64": "d", "f32": "f", "f16": "e", "bf16": "f", "i8": "b", "u8": "B", "i32": "i", "i64": "q"}
INFINITE = {"f": (2 - 2.0**-24) * 2.0**127, "e": 65520.0}  # the least that rounds to an infinity
DEFAULTS = dict(ceil_mode=False, count_include_pad=True, keepdims=True, return_indices=False)
HEADER, MOST_HEAD, MOST_BODY, CRC_32 = struct.Struct("<4sBBHIIQ"), 64 << 20, 16 << 30, 2
encode, decode = json.JSONEncoder(separators=(",", ":")).encode, json.JSONDecoder().raw_decode

def check(ok, why): return ok or sys.exit(f"poolproof_adapter: {why}")
class Declined(Exception): """The implementation does not support this."""
class Rejected(Exception): """These arguments are invalid."""

class Tensor:
    """A dtype, a shape, and the elements' little-endian bytes in row-major order."""
    def __init__(self, dtype, shape, raw): self.dtype, self.shape, self.raw = dtype, tuple(shape), raw
    @classmethod
    def of(cls, dtype, shape, values):
        """From a NumPy array or a flat list of numbers. Rounds to nearest; bf16 by way of f32."""
        letter = LETTERS[dtype]
        if hasattr(values, "astype") and dtype != "bf16":
            return cls(dtype, shape, values.astype("<" + letter).tobytes())
        least, values = INFINITE.get(letter, math.inf), list(getattr(values, "flat", values))
        values = [math.copysign(math.inf, v) if abs(v) >= least else v for v in values]
        raw = struct.pack(f"<{len(values)}{letter}", *values)
        if dtype == "bf16":
            words = [w + 0x7fff + (w >> 16 & 1) >> 16 for w, in struct.iter_unpack("<I", raw)]
            raw = struct.pack(f"<{len(values)}H", *(w if v == v else 0x7fc0 for v, w in zip(values, words)))
        return cls(dtype, shape, raw)
    def widened(self):  # the bytes, those of bf16 as f32
        if self.dtype != "bf16": return self.raw
        return b"\0\0".join([b"", *(self.raw[k:k + 2] for k in range(0, len(self.raw), 2))])
    def values(self): return [v for v, in struct.iter_unpack("<" + LETTERS[self.dtype], self.widened())]
    def array(self):
        import numpy
        return numpy.frombuffer(self.widened(), "<" + LETTERS[self.dtype]).reshape(self.shape)

class Lines:
    """Messages as JSON objects, one a line; a tensor's bytes stand there in hex."""
    def __init__(self, source, sink): self.source, self.sink = open(source, "rb", 1 << 18), open(sink, "wb")
    def receive(self): return decode(self.source.readline().decode() or "null")[0]
    def unpacked(self, tensor): return bytearray.fromhex(tensor["bits"])
    def packed(self, tensor): return {"bits": tensor.raw.hex()}
    def send(self, message): self.write(encode(message).encode() + b"\n")
    def write(self, data):
        self.sink.write(data)
        self.sink.flush()

class Frames(Lines):
    """Messages as frames: a header, a JSON object, and a body of bytes that its tensors point into."""
    def receive(self):
        if not (header := self.source.read(HEADER.size)): return None
        magic, version, kind, _, checksum, head_size, body_size = HEADER.unpack(header)
        check((magic, version) == (b"PPF1", 1) and head_size <= MOST_HEAD and body_size <= MOST_BODY, header)
        head, self.body, self.reply = self.source.read(head_size), bytearray(body_size), bytearray()
        check(self.source.readinto(self.body) == body_size and len(head) == head_size, "a frame ends early")
        check(kind != CRC_32 or zlib.crc32(self.body, zlib.crc32(head)) == checksum, "a frame is damaged")
        return decode(head.decode())[0]
    def unpacked(self, tensor): return memoryview(self.body)[tensor["at"]:tensor["at"] + tensor["size"]]
    def packed(self, tensor):
        self.reply += bytes(-len(self.reply) % 8) + tensor.raw
        return {"at": len(self.reply) - len(tensor.raw), "size": len(tensor.raw)}
    def send(self, message):
        head = encode(message).encode()
        crc = zlib.crc32(self.reply, zlib.crc32(head))
        self.write(HEADER.pack(b"PPF1", 1, CRC_32, 0, crc, len(head), len(self.reply)) + head + self.reply)

def complete(attrs):
    k = attrs.get("kernel", [])
    full = {"stride": k, "pad_begin": [0] * len(k), "dilation": [1] * len(k), **DEFAULTS, **attrs}
    nodes = [{**node, "attrs": complete(node.get("attrs", {}))} for node in attrs.get("nodes", [])]
    return {"pad_end": full["pad_begin"], "index_form": "flat", "memory": "contiguous", **full, "nodes": nodes}

def answer(run, case, channel):
    try:
        for name in {"input", "tangent", "cotangent"} & case.keys():
            case[name] = Tensor(case[name]["dtype"], case[name]["shape"], channel.unpacked(case[name]))
        outputs = run({**case, "attrs": complete(case.get("attrs", {}))}).items()
        return {"outputs": {n: {"dtype": t.dtype, "shape": t.shape, **channel.packed(t)} for n, t in outputs}}
    except Declined as why: return {"declined": str(why)}
    except Rejected as why: return {"rejected": str(why)}
    except Exception: return {"failed": traceback.format_exc()}

def serve(run, **hello):
    """Answers until the end of input. `hello`: name, version, profile, capabilities, as in the protocol."""
    channel, frames = Lines(REQUESTS, REPLIES), os.environ.pop("POOLPROOF_FRAMES", "")
    while message := channel.receive():
        if message["type"] == "run":
            channel.send({"id": message["id"], **answer(run, message["case"], channel)})
        if message["type"] != "hello": continue
        binary = frames != "" and "binary" in message.get("framings", [])
        channel.send(hello | dict(type="hello", protocol=1, checksum="crc32", framing=("lines", "binary")[binary]))
        channel = Frames(*map(int, frames.split(","))) if binary else channel
