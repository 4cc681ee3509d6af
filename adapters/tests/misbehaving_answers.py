# SPDX-License-Identifier: Apache-2.0
"""Ways to misbehave before the first message, in the greeting, and in what is answered. For misbehaves.py."""
import os
import random
import sys
import time

import poolproof_adapter as helper
from poolproof_adapter import Tensor, encode

MODES = {}  # name: (kind, function); the kind says where in the conversation the function stands


def mode(kind):
    """Registers `function` under its name; its docstring is what --list prints."""
    def register(function):
        MODES[function.__name__.replace("_", "-")] = (kind, function)
        return function
    return register


# Before the first message; `options` are the command line's.

@mode("start")
def exits_at_start(options):
    """ends before its greeting, with --code"""
    print("no licence found", file=sys.stderr, flush=True)
    os._exit(options.code)


@mode("start")
def never_greets(options):
    """reads the greeting and stays silent"""
    time.sleep(1e6)


@mode("start")
def greets_late(options):
    """takes --seconds before it greets, then answers all cases well"""
    time.sleep(options.seconds)


# The greeting.

@mode("greeting")
def greets_in_prose(hello):
    """answers the greeting with a line that is not JSON"""
    return b"Hello there!\n"


@mode("greeting")
def speaks_version_2(hello):
    """answers the greeting with protocol 2"""
    return encode({**hello, "protocol": 2}).encode() + b"\n"


@mode("greeting")
def unknown_profile(hello):
    """names a profile that does not exist"""
    return encode({**hello, "profile": "no_such_profile"}).encode() + b"\n"


@mode("greeting")
def misspells(hello):
    """declares an op and an attribute that do not exist"""
    can = {**hello["capabilities"], "ops": ["maxpool", "avg_pool"], "attrs": ["dilatoin"]}
    return encode({**hello, "capabilities": can}).encode() + b"\n"


@mode("greeting")
def dies_of_frames(hello):
    """ends with 3 where frames are offered"""
    if hello["framing"] == "binary":
        os._exit(3)
    return encode(hello).encode() + b"\n"


# What is answered; a function gets the right outputs.

def first(outputs):
    return next(iter(outputs))


@mode("outputs")
def lies(outputs, options):
    """is wrong in the last value's exponent, if there is a value"""
    name, y = first(outputs), outputs[first(outputs)]
    return {**outputs, name: Tensor(y.dtype, y.shape, y.raw and y.raw[:-1] + bytes([y.raw[-1] ^ 0x40]))}


@mode("outputs")
def fluctuates(outputs, options):
    """answers the same case differently each time"""
    name, y = first(outputs), outputs[first(outputs)]
    noise = random.SystemRandom()
    return {**outputs, name: Tensor(y.dtype, y.shape, bytes(b ^ noise.getrandbits(1) for b in bytes(y.raw)))}


@mode("outputs")
def wrong_length(outputs, options):
    """sends one element fewer than the shape needs; one more of an empty tensor"""
    name, y = first(outputs), outputs[first(outputs)]
    return {**outputs, name: Tensor(y.dtype, y.shape, y.raw[:-4] if y.raw else bytes(4))}


@mode("outputs")
def wrong_dtype(outputs, options):
    """answers in f64"""
    name, y = first(outputs), outputs[first(outputs)]
    return {**outputs, name: Tensor.of("f64", y.shape, y.values())}


@mode("outputs")
def unknown_dtype(outputs, options):
    """answers in a dtype that does not exist"""
    name, y = first(outputs), outputs[first(outputs)]
    return {**outputs, name: Tensor("f31", y.shape, y.raw)}


@mode("outputs")
def wrong_shape(outputs, options):
    """puts an axis of 1 in front of the right shape"""
    name, y = first(outputs), outputs[first(outputs)]
    return {**outputs, name: Tensor(y.dtype, (1, *y.shape), y.raw)}


@mode("outputs")
def negative_shape(outputs, options):
    """names a negative size"""
    name, y = first(outputs), outputs[first(outputs)]
    return {**outputs, name: Tensor(y.dtype, (-1, *y.shape[1:]), y.raw)}


@mode("outputs")
def extra_output(outputs, options):
    """sends an output that nobody asked for"""
    return {**outputs, "workspace": outputs[first(outputs)]}


@mode("outputs")
def missing_output(outputs, options):
    """sends no outputs in its outputs"""
    return {}


@mode("outputs")
def late(outputs, options):
    """is right, but takes --seconds"""
    time.sleep(options.seconds)
    return outputs


@mode("outputs")
def refuses(outputs, options):
    """calls a valid case invalid"""
    raise helper.Rejected("no")


@mode("outputs")
def declines(outputs, options):
    """declines what it declared"""
    raise helper.Declined("not today")


@mode("outputs")
def fails(outputs, options):
    """reports a failure"""
    raise MemoryError("out of device memory")


hoard = []


@mode("outputs")
def leaks(outputs, options):
    """is right, but keeps --bytes of memory each time"""
    hoard.append(bytearray(b"\1") * options.bytes)
    return outputs


@mode("outputs")
def floods_stderr(outputs, options):
    """is right, but writes --bytes to standard error"""
    for _ in range(max(1, options.bytes >> 16)):
        os.write(2, b"warning: deprecated\n" * 3276 + b"\n" * 16)
    return outputs


@mode("outputs")
def leaks_in_a_child(outputs, options):
    """is right, but forks a child that holds --bytes of memory"""
    leave_a_child(lambda: globals().update(held=bytearray(b"\1") * options.bytes))
    time.sleep(options.seconds)
    return outputs


def leave_a_child(prepare):
    """It stays for ten minutes, lest a test that fails leave it forever."""
    if os.fork() == 0:
        prepare()
        time.sleep(600)
        os._exit(0)


@mode("outputs")
def leaves_a_child(outputs, options):
    """is right, but forks a child that stays and holds all descriptors"""
    leave_a_child(lambda: None)
    return outputs


@mode("outputs")
def leaves_a_daemon(outputs, options):
    """is right, but forks a child that stays, in a session of its own"""
    leave_a_child(os.setsid)
    return outputs
