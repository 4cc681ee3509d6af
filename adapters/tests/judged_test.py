# SPDX-License-Identifier: Apache-2.0
"""The adapters under `poolproof check`: those here conform, and each way to misbehave gets its own outcome."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PYTHON, ROOT, needs

PROGRAM = os.environ.get("POOLPROOF_PROGRAM")
MISBEHAVES = f"{sys.executable} {Path(__file__).with_name('misbehaves.py')}"

# What the runner says of each mode: the outcome, and a part of the reason; where frames differ, their part as well.
OUTCOMES = {
    "lies": ("deviates", ""),
    "wrong-shape": ("deviates", "shape"),
    "wrong-dtype": ("deviates", "dtype"),
    "missing-output": ("deviates", "is missing"),
    "refuses": ("deviates", "rejected"),
    "declines": ("deviates", "declined"),
    "fails": ("deviates", "out of device memory"),
    "wrong-length": ("broke", "malformed", "malformed"),
    "bad-hex": ("broke", "malformed.*hex digit", "malformed.*place in the body"),
    "truncated": ("broke", "malformed", "timeout|malformed"),
    "cut-off": ("broke", "exited with 0"),
    "no-kind": ("broke", "malformed.*0 of outputs"),
    "two-kinds": ("broke", "malformed.*2 of outputs"),
    "not-an-object": ("broke", "malformed"),
    "garbage": ("broke", "malformed"),
    "gigabytes": ("broke", "malformed.*bytes", "malformed.*magic"),
    "huge-length": ("broke", "malformed.*2147483648", "malformed.*2147483650"),
    "endless-length": ("broke", "malformed.*shape", "malformed.*64 MiB"),
    "bad-checksum": ("broke", "malformed", "malformed.*checksum"),
    "wrong-id": ("broke", "wrong id"),
    "twice": ("broke", "wrong id.*state-dependent"),
    "silent": ("broke", "timeout|wrong id"),
    "late": ("broke", "timeout"),
    "hangs-on": ("broke", "timeout"),
    "exits": ("broke", "exited with 3"),
    "dies": ("broke", "signal 11"),
}
UNHARMED = ("extra-output", "floods-stderr", "leaves-a-child", "greets-late")


@unittest.skipUnless(PROGRAM, "ctest names the program")
class JudgedTest(unittest.TestCase):
    def check(self, command, cases, *options):
        """The exit code, the summary, and the verdicts on what failed."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log.jsonl")
            run = subprocess.run([PROGRAM, "check", "--backend", f"cmd:{command}", "--cases", str(cases),
                                  "--json", log, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 stdin=subprocess.DEVNULL)
            lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        talk = run.stdout.decode() + run.stderr.decode()
        return run.returncode, talk, [line["verdict"] for line in lines if line.get("type") == "failure"]

    def assert_conforms(self, command, cases=400, *options):
        code, talk, failures = self.check(command, cases, *options)
        self.assertEqual((code, failures), (0, []), talk[-2000:])

    def test_tiny_pool_conforms(self):
        self.assert_conforms(f"{sys.executable} {PYTHON / 'tiny_pool.py'}", 1000)

    def test_the_examples_conform(self):
        self.assert_conforms(f"{sys.executable} {PYTHON / 'example.py'}")
        if shutil.which("node"):
            self.assert_conforms(f"node {ROOT / 'adapters/node/example.js'}")

    @needs("torch", "numpy")
    def test_pytorch_forward_answers_all_that_it_declares(self):
        # Forward only: for windows without a real cell PyTorch's derivatives write past the end of their memory. That
        # it deviates is in docs/FINDINGS.md; the adapter has to answer, and to be right where PyTorch is.
        code, talk, failures = self.check(f"{sys.executable} {PYTHON / 'pytorch.py'}", 1200, "--mode", "forward")
        self.assertIn(code, (0, 1), talk[-2000:])
        self.assertEqual([f for f in failures if f["outcome"] == "broke" or "declined" in f.get("why", "")], [])
        self.assertLess(len(failures), 120)

    def test_every_misdeed_has_its_own_outcome_and_the_rest_conforms(self):
        for framing in ("--lines", ""):
            for mode, (outcome, *reasons) in OUTCOMES.items():
                with self.subTest(mode, framing=framing):
                    deadline = ["--deadline", "1"] if "timeout" in reasons[-1] or mode == "silent" else []
                    code, talk, failures = self.check(f"{MISBEHAVES} {mode} --every 25 --bytes 100000000 {framing}", 60,
                                                      "--op", "max_pool", "--vectors", "none", *deadline)
                    self.assertEqual(code, 1, talk[-2000:])
                    self.assertTrue(0 < len(failures) < 20, talk[-2000:])
                    reason = reasons[-1] if framing == "" else reasons[0]
                    for failure in failures:
                        self.assertEqual(failure["outcome"], outcome)
                        self.assertTrue(re.search(reason, failure.get("why", ""), re.DOTALL), failure)

    def test_noise_beside_the_protocol_does_no_harm(self):
        for mode in UNHARMED:
            with self.subTest(mode):
                self.assert_conforms(f"{MISBEHAVES} {mode} --every 5 --bytes 1000000 --seconds 0.2", 60,
                                     "--vectors", "none")

    def test_an_adapter_that_does_not_greet_is_no_backend(self):
        for mode, code, said in (("exits-at-start", 6, "no licence found"), ("greets-in-prose", 6, "wrongly"),
                                 ("speaks-version-2", 6, "protocol"), ("unknown-profile", 2, "no_such_profile")):
            with self.subTest(mode):
                found, talk, _ = self.check(f"{MISBEHAVES} {mode}", 10)
                self.assertEqual(found, code, talk)
                self.assertIn(said, talk)


if __name__ == "__main__":
    unittest.main()
