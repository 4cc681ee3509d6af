# SPDX-License-Identifier: Apache-2.0
"""What the adapters' tests share: the runner's side of the protocol, requests, and what is installed."""
import importlib.util
import json
import os
import select
import struct
import subprocess
import sys
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "adapters/python"
HEADER = struct.Struct("<4sBBHIIQ")
CRC_32 = 2
FORMATS = {"f64": "d", "f32": "f", "f16": "e", "i8": "b", "u8": "B", "i32": "i", "i64": "q"}
PATIENCE = 60  # seconds until a reply is missed


def needs(*packages):
    """Skips a test where packages are missing; `ci/adapters` installs them."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"needs {', '.join(missing)}: run ci/adapters")


def tensor(dtype, shape, values):
    return {"dtype": dtype, "shape": shape, "bits": struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values).hex()}


def values(output):
    raw = bytes.fromhex(output["bits"])
    return [v for v, in struct.iter_unpack("<" + FORMATS[output["dtype"]], raw)]


def case(op, attrs, x, mode="forward", **more):
    return {"op": op, "mode": mode, "dtype": x["dtype"], "attrs": attrs, "input": x, **more}


class Adapter:
    """A program that speaks the protocol. Messages have their tensors as `bits`, however they travel."""

    def __init__(self, *command, frames=False, framings=("binary",), **more):
        ours, theirs = (os.pipe(), os.pipe()) if frames else ((), ())
        environment = {**os.environ, **({"POOLPROOF_FRAMES": f"{ours[0]},{theirs[1]}"} if frames else {})}
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                                        pass_fds=(ours[0], theirs[1]) if frames else (), **more)
        self.sink, self.source, self.binary = self.process.stdin, self.process.stdout, False
        self.heads = []  # as they came
        self.write(json.dumps({"type": "hello", "protocol": 1, "framings": list(framings)}).encode() + b"\n")
        self.hello = self.receive()
        if frames:
            os.close(ours[0])
            os.close(theirs[1])
            ends = open(ours[1], "wb"), open(theirs[0], "rb", 0)
            if self.hello and self.hello.get("framing") == "binary":
                (self.sink, self.source), self.binary = ends, True
            self.others = ends

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for stream in {self.sink, self.source, self.process.stdin, self.process.stdout, self.process.stderr,
                       *getattr(self, "others", ())}:
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def write(self, data):
        self.sink.write(data)
        self.sink.flush()

    def exactly(self, size):
        data = b""
        while len(data) < size:
            if not select.select([self.source], [], [], PATIENCE)[0]:
                raise TimeoutError("no reply")
            part = os.read(self.source.fileno(), size - len(data))
            if not part:
                return data
            data += part
        return data

    def receive(self):
        """The next message, or None at the end."""
        if self.binary:
            return self.receive_frame()
        line = b""
        while not line.endswith(b"\n"):
            part = self.exactly(1)
            if not part:
                return None
            line += part
        self.heads.append(json.loads(line))
        return json.loads(line)

    def receive_frame(self):
        header = self.exactly(HEADER.size)
        if not header:
            return None
        magic, version, kind, _, checksum, head_size, body_size = HEADER.unpack(header)
        assert (magic, version) == (b"PPF1", 1), header
        head, body = self.exactly(head_size), self.exactly(body_size)
        assert (kind, checksum) == (CRC_32, zlib.crc32(head + body)), "checksum"
        message = json.loads(head)
        self.heads.append(json.loads(head))
        for output in message.get("outputs", {}).values():
            at, size = output.pop("at"), output.pop("size")
            assert at % 8 == 0 and at + size <= len(body), output
            output["bits"] = body[at:at + size].hex()
        return message

    def request(self, number, asked):
        """The bytes of a request."""
        message = {"type": "run", "id": number, "case": dict(asked)}
        if not self.binary:
            return json.dumps(message).encode() + b"\n"
        body = b""
        for name in ("input", "tangent", "cotangent"):
            if name in asked:
                raw = bytes.fromhex(asked[name]["bits"])
                message["case"][name] = {"dtype": asked[name]["dtype"], "shape": asked[name]["shape"],
                                         "at": len(body), "size": len(raw)}
                body += raw + bytes(-len(raw) % 8)
        self.heads.append(message)
        head = json.dumps(message).encode()
        return HEADER.pack(b"PPF1", 1, CRC_32, 0, zlib.crc32(head + body), len(head), len(body)) + head + body

    def ask(self, *cases):
        """The replies to these cases, sent in one go; their ids are checked."""
        self.write(b"".join(self.request(100 + k, asked) for k, asked in enumerate(cases)))
        replies = [self.receive() for _ in cases]
        assert [reply["id"] for reply in replies] == [100 + k for k in range(len(cases))], replies
        return replies

    def end(self):
        """Closes its input; its exit code and what it wrote on standard error."""
        self.sink.close()
        self.process.stdin.close()
        talk = self.process.stderr.read().decode(errors="replace")
        return self.process.wait(PATIENCE), talk


def python_adapter(name, *arguments, **more):
    return Adapter(sys.executable, PYTHON / name, *arguments, **more)
