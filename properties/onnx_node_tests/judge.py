# SPDX-License-Identifier: Apache-2.0
"""Judges the answers that ONNX publishes for its pooling node tests with `poolproof judge` under the profile `onnx`.

Deviations are expected only where the list in docs/FINDINGS.md explains them: same test, clause and number of values.
Exit codes: 0 all as expected, 1 a deviation without explanation, 2 bad usage, 3 an explanation that no longer applies,
4 nothing was judged.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import onnx

from conversion import Json, NotExpressible, Question, question
from published import NodeTest, collect

FINDINGS = Path(__file__).resolve().parents[2] / "docs/FINDINGS.md"
# | `test` | clause | deviating values | ...
EXPLAINED = re.compile(r"^\| `(test_\w+)` \| (\w+) \| (\d+) \|")
KINDS = ("conforming", "open", "vacuous", "deviating")


class Judged(NamedTuple):
    test: NodeTest
    question: Optional[Question]
    verdict: Json  # empty where the test is not judged
    note: str

    def deviation(self) -> Optional[Tuple[str, int]]:
        """The clause and the number of deviating values, as an explanation names them."""
        if self.verdict.get("outcome") not in ("deviates", "broke"):
            return None
        return self.verdict.get("clause", ""), self.verdict.get("values", {}).get("deviating", 0)


def explanations(path: Path) -> Dict[str, Tuple[str, int]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {found[1]: (found[2], int(found[3])) for found in map(EXPLAINED.match, lines) if found}


def verdicts(poolproof: str, questions: List[Question]) -> List[Json]:
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as answers:
        answers.writelines(json.dumps(q.answer) + "\n" for q in questions)
        answers.flush()
        run = subprocess.run([*shlex.split(poolproof), "judge", "--answers", answers.name], text=True,
                             input="".join(json.dumps(q.case) + "\n" for q in questions), stdout=subprocess.PIPE)
    lines = run.stdout.splitlines()
    if len(lines) != len(questions) or run.returncode not in (0, 1, 4):
        print(f"{poolproof} judge gave {len(lines)} verdicts to {len(questions)} cases, exit code {run.returncode}")
        sys.exit(2)
    return [json.loads(line) for line in lines]


def judge(poolproof: str, tests: List[NodeTest]) -> List[Judged]:
    results = []
    for test in tests:
        try:
            asked = question(test)
            results.append(Judged(test, asked, {}, asked.note))
        except NotExpressible as reason:
            results.append(Judged(test, None, {}, f"out of scope: {reason}"))
    given = iter(verdicts(poolproof, [r.question for r in results if r.question]))
    return [r._replace(verdict=next(given)) if r.question else r for r in results]


def print_row(result: Judged, width: int, explained: bool) -> None:
    outcome = result.verdict.get("outcome", "not judged")
    values = result.verdict.get("values", {})
    counts = " ".join(f"{values[kind]} {kind}" for kind in KINDS if values.get(kind))
    notes = ", ".join(filter(None, [counts, result.note, "explained" if explained else ""]))
    print(f"{result.test.name:{width}}  {result.test.copy:5}  {outcome:10}  {result.verdict.get('clause', '-'):6}  {notes}")


def print_details(result: Judged) -> None:
    fields = ("why", "where", "got", "permitted", "exact")
    print(result.test.name, *(f"  {f}: {result.verdict[f]}" for f in fields if f in result.verdict), sep="\n")


def print_summary(results: List[Judged], larger: List[str]) -> None:
    outcomes = Counter(r.verdict.get("outcome", "not judged") for r in results)
    values = Counter({kind: sum(r.verdict.get("values", {}).get(kind, 0) for r in results) for kind in KINDS})
    left_out = Counter(r.note for r in results if not r.question)
    print(f"onnx {onnx.__version__}: {len(results)} pooling node tests")
    print("  outcomes:", ", ".join(f"{name} {number}" for name, number in sorted(outcomes.items())))
    print("  values:", ", ".join(f"{kind} {values[kind]}" for kind in KINDS))
    for reason, number in sorted(left_out.items()):
        print(f"  {reason}: {number}")
    print(f"  pooling inside a larger graph, not judged: {len(larger)}{''.join(' ' + name for name in larger)}")


def exit_code(results: List[Judged], expected: Dict[str, Tuple[str, int]]) -> int:
    unexplained = [r for r in results if r.deviation() and expected.get(r.test.name) != r.deviation()]
    deviating = {r.test.name for r in results if r.deviation()}
    stale = sorted(set(expected) & {r.test.name for r in results} - deviating)
    for name in stale:
        print(f"{FINDINGS.name} explains a deviation of {name}, which has none")
    print(f"  deviations without an explanation in {FINDINGS.name}: {len(unexplained)}")
    if unexplained:
        return 1
    if not any(r.verdict.get("outcome") in ("conforms", "deviates") for r in results):
        print("nothing was judged")
        return 4
    return 3 if stale else 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--poolproof", required=True, help="the program, with arguments if it needs some")
    chosen = options.parse_args()
    expected = explanations(FINDINGS)
    tests, larger = collect()
    results = judge(chosen.poolproof, tests)
    width = max((len(test.name) for test in tests), default=0)
    for result in results:
        print_row(result, width, bool(result.deviation()) and expected.get(result.test.name) == result.deviation())
    for result in results:
        if result.deviation():
            print_details(result)
    print_summary(results, larger)
    return exit_code(results, expected)


if __name__ == "__main__":
    sys.exit(main())
