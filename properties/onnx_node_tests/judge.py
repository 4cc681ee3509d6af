# SPDX-License-Identifier: Apache-2.0
"""Judges the answers that ONNX publishes for its pooling node tests with `poolproof judge` under the profile `onnx`.

Deviations are expected only where the list in docs/FINDINGS.md explains them: same test, versions of onnx, clause and
number of values. Exit codes: 0 all as expected, 1 a deviation without explanation, 2 bad usage or no verdicts, 3 an
explanation that no longer applies, 4 nothing was judged.
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
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

import onnx

from conversion import Json, NotExpressible, Question, question
from published import NodeTest, collect

FINDINGS = Path(__file__).resolve().parents[2] / "docs/FINDINGS.md"
# | `test` | 1.2.3 on, or 1.2.3 to 1.2.5 | clause | deviating values | ...
EXPLAINED = re.compile(r"^\| `(test_\w+)` \| ([\d.]+) (?:on|to ([\d.]+)) \| (\w+) \| (\d+) \|")
KINDS = ("conforming", "open", "vacuous", "deviating")

Deviation = Tuple[str, int]  # the clause and the number of deviating values


class Judged(NamedTuple):
    test: NodeTest
    question: Optional[Question]
    verdict: Json  # empty where the test is not judged
    note: str

    def deviation(self) -> Optional[Deviation]:
        if self.verdict.get("outcome") not in ("deviates", "broke"):
            return None
        return self.verdict.get("clause", ""), self.verdict.get("values", {}).get("deviating", 0)


def release(version: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def explanations(path: Path, version: str) -> Dict[str, Deviation]:
    """What the list explains for this version of onnx."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [match.groups() for match in map(EXPLAINED.match, lines) if match]
    return {test: (clause, int(values)) for test, first, last, clause, values in found
            if release(first) <= release(version) and (last is None or release(version) <= release(last))}


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


def print_row(result: Judged, width: int, expected: Dict[str, Deviation]) -> None:
    outcome, clause = result.verdict.get("outcome", "not judged"), result.verdict.get("clause", "-")
    values = result.verdict.get("values", {})
    notes = [f"{values[kind]} {kind}" for kind in KINDS if values.get(kind)] + [result.note]
    if result.deviation():
        notes.append("explained" if is_explained(result, expected) else "NOT EXPLAINED")
    row = f"{result.test.name:{width}}  {result.test.copy:5}  {outcome:10}  {clause:6}"
    print(row, ", ".join(filter(None, notes)))


def is_explained(result: Judged, expected: Dict[str, Deviation]) -> bool:
    return expected.get(result.test.name) == result.deviation()


def print_details(result: Judged) -> None:
    fields = ("why", "where", "got", "permitted", "exact", "share")
    print(result.test.name, *(f"  {f}: {result.verdict[f]}" for f in fields if f in result.verdict), sep="\n")


def counted(pairs: Iterable[Tuple[str, str]]) -> str:
    """How many tests each heading has; a test whose copies differ counts once."""
    numbers = Counter(heading for heading, _ in set(pairs))
    return ", ".join(f"{heading} {number}" for heading, number in sorted(numbers.items())) or "none"


def print_summary(results: List[Judged], larger: List[str]) -> None:
    values = Counter({kind: sum(r.verdict.get("values", {}).get(kind, 0) for r in results) for kind in KINDS})
    outcomes = counted((r.verdict.get("outcome", "not judged"), r.test.name) for r in results)
    print(f"onnx {onnx.__version__}: {len({r.test.name for r in results})} tests of one pooling node: {outcomes}")
    print("  values:", ", ".join(f"{kind} {values[kind]}" for kind in KINDS))
    print("  not judged:", counted((r.note, r.test.name) for r in results if not r.question))
    print("  judged in part:", counted((r.note, r.test.name) for r in results if r.note.startswith("y only")))
    print("  pooling in a larger graph, not judged:", ", ".join(larger) or "none")


def exit_code(results: List[Judged], expected: Dict[str, Deviation]) -> int:
    deviating = [r for r in results if r.deviation()]
    unexplained = [r for r in deviating if not is_explained(r, expected)]
    print(f"  deviations: {len(deviating)}, without an explanation in {FINDINGS.name}: {len(unexplained)}")
    stale = sorted(set(expected) - {r.test.name for r in deviating})
    for name in stale:
        print(f"{FINDINGS.name} explains a deviation of {name}, which has none")
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
    expected = explanations(FINDINGS, onnx.__version__)
    tests, larger = collect()
    results = judge(chosen.poolproof, tests)
    for result in results:
        print_row(result, max(len(test.name) for test in tests), expected)
    for result in results:
        if result.deviation():
            print_details(result)
    print_summary(results, larger)
    return exit_code(results, expected)


if __name__ == "__main__":
    sys.exit(main())
