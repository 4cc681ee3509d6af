# SPDX-License-Identifier: Apache-2.0
"""Compares `poolproof oracle` with the second source on generated cases.

Rejections must be rejections on both sides, rational answers equal, enclosures narrow enough and overlapping,
shapes, open values and indices equal. Exits 1 on any disagreement, or where too few cases were valid.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import partial
from multiprocessing import Pool as Processes
from typing import Any, Dict, Iterable, List, Optional, Tuple

from cases import case_line
from evaluate import allow_long_integers, answer_line

SHOWN = 20
LEAST_VALID_SHARE = 0.9
RELATIVE_WIDTH = Fraction(1, 2**100)
ABSOLUTE_WIDTH = Fraction(1, 2**1200)
WORDS = ("nan", "inf", "-inf", "open")

Answer = Dict[str, Any]


def oracle_answers(poolproof: str, lines: List[str]) -> List[Answer]:
    run = subprocess.run([*shlex.split(poolproof), "oracle"], input="\n".join(lines) + "\n", text=True,
                         stdout=subprocess.PIPE)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(lines) or run.returncode not in (0, 2):
        sys.exit(f"{poolproof} oracle answered {len(answers)} of {len(lines)} lines, exit code {run.returncode}")
    return answers


def ends(answer: Answer, k: int) -> Tuple[str, str]:
    if "exact" in answer:
        return answer["exact"][k], answer["exact"][k]
    return answer["lower"][k], answer["upper"][k]


def count(answer: Answer) -> int:
    return len(answer["exact"] if "exact" in answer else answer["lower"])


def value_disagreement(ours: Tuple[str, str], theirs: Tuple[str, str]) -> Optional[str]:
    if ours == theirs:
        return None
    if any(end in WORDS for end in ours + theirs):
        return f"{theirs[0]}, expected {ours[0]}"
    bounds = [tuple(map(Fraction, pair)) for pair in (ours, theirs)]
    for lower, upper in bounds:
        if lower > upper or upper - lower > max(RELATIVE_WIDTH * max(abs(lower), abs(upper)), ABSOLUTE_WIDTH):
            return f"an enclosure is reversed or too wide: [{lower}, {upper}]"
    if max(lower for lower, _ in bounds) > min(upper for _, upper in bounds):
        near = [float(lower) if abs(lower) < 1e300 else lower for lower, _ in bounds]
        return f"about {near[1]}, expected about {near[0]}"
    return None


def disagreement(ours: Answer, theirs: Answer) -> Optional[str]:
    if "rejected" in ours or "rejected" in theirs:
        if ("rejected" in ours) == ("rejected" in theirs):
            return None
        return f"the oracle says {brief(theirs)}, the second source {brief(ours)}"
    if ours["shape"] != theirs.get("shape"):
        return f"shape {theirs.get('shape')}, expected {ours['shape']}"
    if count(ours) != count(theirs):
        return f"{count(theirs)} values, expected {count(ours)}"
    for k in range(count(ours)):
        problem = value_disagreement(ends(ours, k), ends(theirs, k))
        if problem:
            return f"value {k}: {problem}"
    if ours.get("indices") != theirs.get("indices"):
        return f"indices {theirs.get('indices')}, expected {ours.get('indices')}"
    return None


def brief(answer: Answer) -> str:
    return json.dumps(answer)[:300]


def description(line: str, answer: Answer) -> Iterable[Tuple[str, str]]:
    """What a case counts for in the table of the summary."""
    case = json.loads(line)
    yield "op", str(case.get("op"))
    yield "mode", str(case.get("mode"))
    yield "dtype", str(case.get("dtype", "f64 (absent)"))
    yield "profile", str(case.get("profile", "absent"))
    kind = next((word for word in ("rejected", "undecided", "exact") if word in answer), "irrational")
    yield "answer", kind
    if "shape" in answer and any("open" in ends(answer, k) for k in range(count(answer))):
        yield "answer", "with open values"


def print_table(table: Counter) -> None:
    for heading in sorted({heading for heading, _ in table}):
        entries = ", ".join(f"{name} {number}" for (h, name), number in sorted(table.items()) if h == heading)
        print(f"{heading}: {entries}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--poolproof", required=True, help="the launcher, with arguments if it needs some")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=20000)
    chosen = options.parse_args()
    allow_long_integers()

    with Processes(2, initializer=allow_long_integers) as processes:
        lines = processes.map(partial(case_line, chosen.seed), range(chosen.count), chunksize=100)
        expected = processes.map(answer_line, lines, chunksize=100)
    given = oracle_answers(chosen.poolproof, lines)

    table: Counter = Counter()
    compared = disagreements = 0
    for line, ours, theirs in zip(lines, expected, given):
        table.update(description(line, ours))
        if "undecided" in ours:
            continue
        compared += 1
        problem = disagreement(ours, theirs)
        if problem:
            disagreements += 1
            if disagreements <= SHOWN:
                print(f"{problem}\n  {line}")

    print_table(table)
    valid = compared - table["answer", "rejected"]
    print(f"{compared} compared, {disagreements} disagree")
    if valid < LEAST_VALID_SHARE * chosen.count:
        print(f"only {valid} of {chosen.count} cases were valid and decided")
        return 1
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
