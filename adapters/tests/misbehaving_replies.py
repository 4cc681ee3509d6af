# SPDX-License-Identifier: Apache-2.0
"""Ways to misbehave in how a reply is sent. For misbehaves.py."""
import os
import random
import signal
import sys
import time
import zlib

import poolproof_adapter as helper
from misbehaving_answers import mode
from poolproof_adapter import HEADER, Frames

# How it is sent; a function gets the channel, the message and, in lines or as a frame, its bytes.

@mode("reply")
def truncated(channel, message, data, options):
    """sends the first half of its reply and goes on with the next"""
    channel.write(data[:len(data) // 2] + (b"" if isinstance(channel, Frames) else b"\n"))


@mode("reply")
def cut_off(channel, message, data, options):
    """sends the first half of its reply and ends, with 0"""
    channel.write(data[:len(data) // 2])
    os._exit(0)


@mode("reply")
def bad_hex(channel, message, data, options):
    """writes a letter that is no hex digit; in frames, a place outside the body"""
    for output in message.get("outputs", {}).values():
        output.update({"at": 1 << 33} if "at" in output else {"bits": "xy" + output["bits"][2:]})
    channel.send(message)


@mode("reply")
def no_kind(channel, message, data, options):
    """replies with an id and nothing else"""
    channel.send({"id": message["id"]})


@mode("reply")
def two_kinds(channel, message, data, options):
    """answers and declines at once"""
    channel.send({**message, "declined": "or maybe not"})


@mode("reply")
def not_an_object(channel, message, data, options):
    """replies with a list"""
    channel.send([message])


@mode("reply")
def deep(channel, message, data, options):
    """replies with a list nested 100,000 deep"""
    head = b"[" * 100_000 + b"]" * 100_000
    header = HEADER.pack(b"PPF1", 1, 2, 0, zlib.crc32(head), len(head), 0)
    channel.write(header + head if isinstance(channel, Frames) else head + b"\n")


@mode("reply")
def wrong_id(channel, message, data, options):
    """replies with another id"""
    channel.send({**message, "id": message["id"] + 1})


@mode("reply")
def no_id(channel, message, data, options):
    """replies without an id"""
    channel.send({name: value for name, value in message.items() if name != "id"})


@mode("reply")
def twice(channel, message, data, options):
    """replies twice"""
    channel.write(data + data)


@mode("reply")
def silent(channel, message, data, options):
    """passes the case over, and answers the next"""


@mode("reply")
def hangs(channel, message, data, options):
    """never answers again; ends on SIGTERM"""
    time.sleep(1e6)


@mode("reply")
def tidies_up(channel, message, data, options):
    """never answers again; on SIGTERM it writes a line into $POOLPROOF_ADAPTER_FILE and ends"""
    def tidy(*_):
        with open(os.environ["POOLPROOF_ADAPTER_FILE"], "a") as file:
            file.write("tidy\n")
        os._exit(0)
    signal.signal(signal.SIGTERM, tidy)
    while True:
        time.sleep(1e6)


@mode("reply")
def hangs_on(channel, message, data, options):
    """never answers again and ignores SIGTERM"""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1e6)


@mode("reply")
def spins(channel, message, data, options):
    """never answers again and keeps a core busy"""
    while True:
        pass


@mode("reply")
def prints(channel, message, data, options):
    """prints a line of text on its standard output, where replies go if they are lines"""
    os.write(helper.REPLIES, b"DEBUG: pooling took 3 us\n")
    channel.write(data)


@mode("reply")
def garbage(channel, message, data, options):
    """writes bytes that are neither JSON nor UTF-8, then its reply"""
    channel.write(bytes(range(128, 256)) + b"\n" + data)


@mode("reply")
def gigabytes(channel, message, data, options):
    """writes --bytes without a newline, then its reply"""
    for _ in range(max(1, options.bytes >> 20)):
        channel.write(b"x" * (1 << 20))
    channel.write(data)


@mode("reply")
def anything(channel, message, data, options):
    """breaks in a way drawn anew each time: ends, dies, hangs, or sends what is no reply"""
    draw = random.SystemRandom()
    draw.choice([truncated, cut_off, bad_hex, two_kinds, wrong_id, twice, silent, hangs, hangs_on, garbage, huge_length,
                 endless_length, bad_checksum, exits, dies, aborts, closes])(channel, message, data, options)


def claim_shape(channel, message, shape):
    name = next(iter(message.get("outputs", ["y"])))
    channel.send({"id": message["id"], "outputs": {name: {"dtype": "f32", "shape": shape, "bits": ""}}})


@mode("reply")
def huge_length(channel, message, data, options):
    """announces a body of 2 GiB and sends none; in lines, a tensor of 2^31 elements"""
    if isinstance(channel, Frames):
        channel.write(HEADER.pack(b"PPF1", 1, 0, 0, 0, 2, 2 << 30) + b"{}")
        time.sleep(options.seconds)
    else:
        claim_shape(channel, message, [1 << 31])


@mode("reply")
def endless_length(channel, message, data, options):
    """announces a head and a body beyond all limits; in lines, a shape whose size overflows"""
    if isinstance(channel, Frames):
        channel.write(HEADER.pack(b"PPF1", 1, 0, 0, 0, 2**32 - 1, 2**64 - 1) + b"{}")
    else:
        claim_shape(channel, message, [1 << 31, 1 << 31, 1 << 31])


@mode("reply")
def bad_checksum(channel, message, data, options):
    """sends a frame whose checksum is wrong; in lines, a line with an unfinished escape"""
    position = 8 if isinstance(channel, Frames) else len(data) - 2
    channel.write(data[:position] + bytes([data[position] ^ 0x21]) + data[position + 1:])


@mode("reply")
def exits(channel, message, data, options):
    """ends with --code instead of answering"""
    print("fatal: cannot go on", file=sys.stderr, flush=True)
    os._exit(options.code)


@mode("reply")
def paints(channel, message, data, options):
    """ends with --code after a line on standard error that clears the screen"""
    print("\x1b[2J\x1b]0;title\x07", file=sys.stderr, flush=True)
    os._exit(options.code)


@mode("reply")
def exits_after(channel, message, data, options):
    """answers, then ends with --code"""
    channel.write(data)
    os._exit(options.code)


@mode("reply")
def dies(channel, message, data, options):
    """raises SIGSEGV on itself"""
    print("about to read address 0", file=sys.stderr, flush=True)
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


@mode("reply")
def aborts(channel, message, data, options):
    """calls abort"""
    os.abort()


@mode("reply")
def closes(channel, message, data, options):
    """closes its output and lives on"""
    channel.sink.close()
    time.sleep(1e6)
