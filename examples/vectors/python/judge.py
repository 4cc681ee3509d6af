# SPDX-License-Identifier: Apache-2.0
"""Judges answers by the vectors' files alone: python3 judge.py VECTORS PROFILE < ANSWERS

A line of ANSWERS is {"id":SLUG,"dtype":DTYPE,"outputs":{"y":{"shape":[..],"data":[..]}}} (dy, dx, indices likewise; floats
as hexadecimal strings), or {"id":..,"dtype":..,"rejected":"why"}, or declined, as `poolproof vectors run --answers` writes.
Prints one line per instance that is wrong or missing, then the count.
"""
import json
import math
import sys
from pathlib import Path


def number(x):
    """A key that orders values as the formats do: -0 lies just below +0."""
    value = float.fromhex(x) if isinstance(x, str) else x
    return (value, isinstance(x, int) or math.copysign(1, value) > 0)


def permitted(output, k, x):
    also = output["also"][k] if "also" in output else []
    if "open" in also:
        return True
    if x in ("nan", "inf", "-inf"):
        return x in also
    lowest = output["lowest"][k]
    return lowest is not None and number(lowest) <= number(x) <= number(output.get("highest", output["lowest"])[k])


def wrong(answer, given):
    if answer is None:  # it must be rejected
        return None if "rejected" in given else "answered, but must be rejected"
    for name, output in answer.items():
        if name == "dtypes":
            continue
        values = given.get("outputs", {}).get(name)
        if values is None or values["shape"] != output["shape"]:
            return f"{name} is missing or of another shape"
        for k, x in enumerate(values["data"]):
            if name == "indices":
                right = output["any_of"][k] == ["open"] or number(x)[0] in output["any_of"][k]
            else:
                right = permitted(output, k, x)
            if not right:
                return f"{name}[{k}] is {x}"
    return None


def main(folder, profile):
    given = {(a["id"], a["dtype"]): a for a in map(json.loads, sys.stdin)}
    judged = bad = 0
    for path in sorted(Path(folder).glob("*.*.json")):
        for vector in json.loads(path.read_text())["vectors"]:
            if profile not in vector["profiles"]:
                continue
            for dtype in vector["dtypes"]:
                answer = next((a for a in vector.get("answers", []) if dtype in a["dtypes"]), None)
                one = given.get((vector["id"], dtype), {})
                if "declined" in one:
                    continue
                judged += 1
                if (why := wrong(answer, one)) is not None:
                    bad += 1
                    print(f"{vector['id']} ({dtype}): {why}")
    print(f"{bad} of {judged} judged vector instances deviate")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
