#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tiny_pool's adapter, which also writes every message, in both directions, into FILE: `recorder.py FILE`."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import poolproof_adapter as helper
import tiny_pool

record = open(sys.argv[1], "a", buffering=1)
encode, decode = helper.encode, helper.decode


def recorded(text):
    record.write(text.rstrip("\n") + "\n")
    return text


helper.encode = lambda message: recorded(encode(message))
helper.decode = lambda text: decode(text if text == "null" else recorded(text))
helper.serve(tiny_pool.run, name="recorder", version="1", profile="tiny_pool", capabilities=tiny_pool.CAPABILITIES)
