# SPDX-License-Identifier: Apache-2.0
"""Computes the exact result of every stored vector with the second source, and checks hashes and permitted answers
against it: python3 vectors.py FOLDER

Rejections must be rejections, fractions equal, enclosures overlapping, and every permitted range must hold or enclose
the exact value, up to one step. Exits 1 on any disagreement.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, Iterable, Optional, Tuple

from compare import WORDS, ends
from evaluate import allow_long_integers, answer_line

CONTENT = ("profiles", "dtypes", "case", "exact", "answers", "rejected")


def stored_hash(vector: Dict[str, Any]) -> str:
    content = {name: vector[name] for name in CONTENT if name in vector}
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def disagreement(ours: Dict[str, Any], vector: Dict[str, Any]) -> Optional[str]:
    if "rejected" in ours or "rejected" in vector:
        return None if "rejected" in ours and "rejected" in vector else "one side rejects the case"
    theirs = vector["exact"]
    if ours["shape"] != theirs["shape"]:
        return f"shape {theirs['shape']}, expected {ours['shape']}"
    for k in range(len(theirs.get("exact", theirs.get("lower")))):
        a, b = ends(ours, k), ends(theirs, k)
        if a == b:
            continue
        if any(end in WORDS for end in a + b):
            return f"value {k}: {b[0]}, expected {a[0]}"
        if max(Fraction(a[0]), Fraction(b[0])) > min(Fraction(a[1]), Fraction(b[1])):
            return f"value {k}: the enclosures do not meet"
    if ours.get("indices") != theirs.get("indices"):
        return f"indices {theirs.get('indices')}, expected {ours.get('indices')}"
    return None


def answers_apart(vector: Dict[str, Any]) -> Optional[str]:
    """A permitted range that lies wholly beside the exact value by more than its own format could explain."""
    for answer in vector.get("answers", []):
        if set(answer["dtypes"]) & {"i8", "u8", "i32", "i64"}:
            continue
        output = next(answer[name] for name in ("y", "dy", "dx") if name in answer)
        for k, lowest in enumerate(output["lowest"]):
            lower, upper = ends(vector["exact"], k)
            if lowest is None or lower in WORDS:
                continue
            low = Fraction(float.fromhex(lowest))
            high = Fraction(float.fromhex(output.get("highest", output["lowest"])[k]))
            slack = max(abs(low), abs(high)) * Fraction(1, 2**7) + Fraction(1, 2**24)
            if low > Fraction(upper) + slack or high < Fraction(lower) - slack:
                return f"value {k} in {answer['dtypes'][0]}: the range is far from the exact value"
    return None


def vectors(folder: Path) -> Iterable[Tuple[str, Dict[str, Any]]]:
    for path in sorted(folder.glob("*.*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8"))["vectors"]:
            yield path.name, vector


def main(folder: str) -> int:
    allow_long_integers()
    count: Counter = Counter()
    for file, vector in vectors(Path(folder)):
        count["vectors"] += 1
        dtype, profile = vector["dtypes"][0], vector["profiles"][0]
        case = {"dtype": dtype, "profile": profile, **vector["case"]}
        ours = answer_line(json.dumps(case))
        problem = "the hash is another" if stored_hash(vector) != vector["hash"] else answers_apart(vector)
        if problem is None and "undecided" in ours:
            count["undecided"] += 1
        elif problem is None:
            problem = disagreement(ours, vector)
        if problem:
            count["disagree"] += 1
            print(f"{file}: {vector['id']}: {problem}")
    print(f"{count['vectors']} vectors, {count['disagree']} disagree, {count['undecided']} undecided by the second source")
    return 1 if count["disagree"] or not count["vectors"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: vectors.py FOLDER")
    sys.exit(main(sys.argv[1]))
