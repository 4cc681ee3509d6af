#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An adapter that misbehaves on purpose, in one way, at some cases. At all others it is tiny_pool's.

MODE comes up at one case in N. Which one: `case` goes by the input's values, so that a replay brings it up
again; `count` takes each N-th case of this process, so that a case alone does not; `id` draws by seed and request,
so that no replay can be sure. `misbehaves.py --list` prints the modes, a line each with what it does.
"""
import argparse
import os
import random
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import poolproof_adapter as helper
import tiny_pool
from poolproof_adapter import Frames, Lines

import misbehaving_replies  # adds its modes
from misbehaving_answers import MODES


class Conversation:
    def __init__(self, options):
        self.options, self.count, self.number = options, 0, 0
        self.kind, self.act = MODES[options.mode]
        self.channel = Lines(helper.REQUESTS, helper.REPLIES)
        self.frames = "" if options.lines else os.environ.get("POOLPROOF_FRAMES", "")

    def due(self, case):
        """Whether this case is one to misbehave at."""
        if self.options.by == "count":
            return self.count % self.options.every == 0
        if self.options.by == "id":
            return random.Random(f"{self.options.seed}/{self.number}").random() * self.options.every < 1
        return zlib.crc32(bytes(case["input"].raw), self.options.seed) % self.options.every == 0

    def greet(self, message):
        binary = self.frames and "binary" in message.get("framings", [])
        hello = {"type": "hello", "protocol": 1, "name": f"misbehaves-{self.options.mode}", "version": "1",
                 "profile": "tiny_pool", "capabilities": tiny_pool.CAPABILITIES,
                 "framing": "binary" if binary else "lines", "checksum": "crc32"}
        if self.kind == "greeting":
            self.channel.write(self.act(hello))
        else:
            self.channel.send(hello)
        if binary:
            self.channel = Frames(*map(int, self.frames.split(",")))

    def run(self, case):
        self.now = self.due(case)
        outputs = tiny_pool.run(case)
        return self.act(outputs, self.options) if self.now and self.kind == "outputs" else outputs

    def sent_by(self, reply):
        """The bytes that sending this reply would write."""
        written = []
        self.channel.write = written.append
        self.channel.send(reply)
        del self.channel.write
        return b"".join(written)

    def answer(self, message):
        self.count, self.number, self.now = self.count + 1, message["id"], False
        reply = {"id": message["id"], **helper.answer(self.run, message["case"], self.channel)}
        if self.now and self.kind == "reply":
            self.act(self.channel, reply, self.sent_by(reply), self.options)
        else:
            self.channel.send(reply)

    def go_on(self):
        if self.kind == "start":
            self.act(self.options)
        while message := self.channel.receive():
            if message["type"] == "hello":
                self.greet(message)
            elif message["type"] == "run":
                self.answer(message)


def main():
    if sys.argv[1:] == ["--list"]:
        listed = "".join(f"{name:18} {act.__doc__}\n" for name, (_, act) in sorted(MODES.items()))
        os.write(helper.REPLIES, listed.encode())
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=sorted(MODES), metavar="MODE")
    parser.add_argument("--every", type=int, default=5, metavar="N")
    parser.add_argument("--by", choices=("case", "count", "id"), default="case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--code", type=int, default=3)
    parser.add_argument("--lines", action="store_true", help="does not take the binary framing")
    Conversation(parser.parse_args()).go_on()


if __name__ == "__main__":
    main()
