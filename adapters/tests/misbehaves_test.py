# SPDX-License-Identifier: Apache-2.0
"""adapters/tests/misbehaves.py: each mode does what it says, and only at the cases it is told to."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support import HEADER, Adapter, case, tensor, values

SCRIPT = Path(__file__).with_name("misbehaves.py")
CASES = [case("max_pool", {"kernel": [2]}, tensor("f32", [1, 1, 4], [k, k + 1, k + 3, k + 2])) for k in range(20)]


def right(k):
    return [k + 1, k + 3]


class MisbehavesTest(unittest.TestCase):
    def start(self, mode, *options, frames=False):
        adapter = Adapter(sys.executable, SCRIPT, mode, *options, frames=frames)
        self.addCleanup(adapter.__exit__)
        return adapter

    def reply_to_bad(self, mode, *options, frames=False):
        """The first bytes of what comes for a case at which it misbehaves."""
        adapter = self.start(mode, "--every", "1", *options, frames=frames)
        adapter.write(adapter.request(7, CASES[0]))
        return adapter, os.read(adapter.source.fileno(), 1 << 16)

    def test_at_other_cases_it_is_right(self):
        for options in (["--by", "count"], ["--by", "case"], ["--by", "id"]):
            for frames in (False, True):
                adapter = self.start("wrong-shape", "--every", "3", *options, frames=frames)
                replies = [r["outputs"]["y"] for r in adapter.ask(*CASES)]
                bad = [k for k, y in enumerate(replies) if y["shape"] != [1, 1, 2]]
                self.assertTrue(0 < len(bad) < len(CASES), (options, bad))
                self.assertEqual([values(y) for y in replies], [right(k) for k in range(len(CASES))])
                if options[1] == "count":
                    self.assertEqual(bad, list(range(2, len(CASES), 3)))

    def test_by_case_a_replay_does_it_again_and_by_id_it_need_not(self):
        for by, again in (("case", True), ("id", False)):
            adapter = self.start("lies", "--every", "3", "--by", by)
            wrong = [[values(r["outputs"]["y"]) != right(k % 20) for k, r in enumerate(replies)]
                     for replies in [adapter.ask(*CASES, *CASES)]][0]
            self.assertEqual(wrong[:20] == wrong[20:], again)

    def test_wrong_content(self):
        for frames in (False, True):
            def output(mode):
                reply, = self.start(mode, "--every", "1", frames=frames).ask(CASES[0])
                return reply["outputs"]

            self.assertNotEqual(values(output("lies")["y"]), right(0))
            self.assertEqual(len(output("wrong-length")["y"]["bits"]), 8)
            self.assertEqual(values(output("wrong-dtype")["y"]), right(0))
            self.assertEqual(output("wrong-dtype")["y"]["dtype"], "f64")
            self.assertEqual(output("unknown-dtype")["y"]["dtype"], "f31")
            self.assertEqual(output("negative-shape")["y"]["shape"][0], -1)
            self.assertEqual(set(output("extra-output")), {"y", "workspace"})
            self.assertEqual(output("missing-output"), {})

    def test_it_answers_differently_each_time(self):
        adapter = self.start("fluctuates", "--every", "1")
        self.assertGreater(len({r["outputs"]["y"]["bits"] for r in adapter.ask(*[CASES[0]] * 20)}), 1)

    def test_refusals(self):
        for mode, kind in (("refuses", "rejected"), ("declines", "declined"), ("fails", "failed")):
            self.assertIn(kind, self.start(mode, "--every", "1").ask(CASES[0])[0])

    def test_malformed_lines(self):
        def line(mode):
            return self.reply_to_bad(mode)[1]

        for mode in ("truncated", "prints", "bad-checksum"):
            with self.assertRaises(ValueError, msg=mode):
                json.loads(line(mode).split(b"\n")[0])
        with self.assertRaises(UnicodeDecodeError):
            line("garbage").decode()
        self.assertIn("xy", json.loads(line("bad-hex"))["outputs"]["y"]["bits"])
        self.assertEqual(json.loads(line("no-kind")), {"id": 7})
        self.assertLessEqual({"outputs", "declined"}, set(json.loads(line("two-kinds"))))
        self.assertIsInstance(json.loads(line("not-an-object")), list)
        self.assertEqual(json.loads(line("wrong-id"))["id"], 8)
        self.assertNotIn("id", json.loads(line("no-id")))
        self.assertEqual(line("twice").count(b'"id":7'), 2)
        self.assertTrue(line("deep").startswith(b"[" * 1000))
        self.assertEqual(json.loads(line("huge-length"))["outputs"]["y"]["shape"], [2**31])

    def test_malformed_frames(self):
        def header(mode):
            return HEADER.unpack(self.reply_to_bad(mode, "--seconds", "0", frames=True)[1][:HEADER.size])

        self.assertEqual(header("huge-length")[6], 2 << 30)
        self.assertEqual(header("endless-length")[5:], (2**32 - 1, 2**64 - 1))
        self.assertNotEqual(header("bad-checksum")[4], header("twice")[4])
        _, data = self.reply_to_bad("bad-hex", frames=True)
        self.assertIn(str(1 << 33).encode(), data)

    def test_floods(self):
        adapter = self.start("gigabytes", "--every", "1", "--bytes", str(5 << 20))
        adapter.write(adapter.request(7, CASES[0]))
        flood = adapter.exactly(5 << 20)
        self.assertEqual((flood.count(b"x"), adapter.receive()["id"]), (5 << 20, 7))
        adapter = self.start("floods-stderr", "--every", "1", "--bytes", str(1 << 20))
        adapter.write(adapter.request(7, CASES[0]))
        adapter.process.stdin.close()
        self.assertGreater(len(adapter.process.stderr.read()), 1 << 19)

    def test_ends(self):
        for mode, code in (("exits", 3), ("cut-off", 0), ("dies", -signal.SIGSEGV), ("aborts", -signal.SIGABRT),
                           ("exits-after", 3)):
            adapter = self.start(mode, "--every", "1")
            adapter.write(adapter.request(7, CASES[0]))
            self.assertEqual(adapter.process.wait(20), code, mode)

    def test_silence(self):
        adapter = self.start("silent", "--every", "2", "--by", "count")
        adapter.write(b"".join(adapter.request(k, CASES[0]) for k in range(4)))
        self.assertEqual([adapter.receive()["id"] for _ in range(2)], [0, 2])
        for mode in ("hangs", "hangs-on", "spins"):
            adapter = self.start(mode, "--every", "1")
            adapter.write(adapter.request(7, CASES[0]))
            time.sleep(0.5)
            adapter.process.terminate()
            if mode == "hangs-on":
                with self.assertRaises(subprocess.TimeoutExpired):
                    adapter.process.wait(0.5)
            else:
                self.assertEqual(adapter.process.wait(20), -signal.SIGTERM, mode)

    def test_late_answers_are_late(self):
        adapter, began = self.start("late", "--every", "1", "--seconds", "0.3"), time.monotonic()
        self.assertEqual(values(adapter.ask(CASES[0])[0]["outputs"]["y"]), right(0))
        self.assertGreaterEqual(time.monotonic() - began, 0.3)

    def test_a_child_that_stays_holds_the_output_open(self):
        adapter = self.start("leaves-a-child", "--every", "1")
        self.assertEqual(values(adapter.ask(CASES[0])[0]["outputs"]["y"]), right(0))
        children = Path(f"/proc/{adapter.process.pid}/task/{adapter.process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        os.kill(int(children[0]), signal.SIGKILL)

    def test_greetings(self):
        self.assertEqual(self.start("speaks-version-2").hello["protocol"], 2)
        self.assertEqual(self.start("unknown-profile").hello["profile"], "no_such_profile")
        with self.assertRaises(ValueError):
            self.start("greets-in-prose")
        adapter = self.start("exits-at-start")
        self.assertEqual((adapter.hello, adapter.process.wait(20)), (None, 3))

    def test_memory_is_kept(self):
        adapter = self.start("leaks", "--every", "1", "--bytes", str(64 << 20))
        adapter.ask(*CASES[:4])
        resident = int(Path(f"/proc/{adapter.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.assertGreater(resident, 256 << 20)

    def test_every_mode_is_listed(self):
        listed = subprocess.run([sys.executable, SCRIPT, "--list"], stdout=subprocess.PIPE, check=True).stdout
        self.assertGreater(len(listed.splitlines()), 40)


if __name__ == "__main__":
    unittest.main()
