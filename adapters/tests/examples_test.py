# SPDX-License-Identifier: Apache-2.0
"""The minimal adapters in Python, JavaScript and C: the same answers, and the README shows the Python one."""
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PYTHON, ROOT, Adapter, case, tensor, values

PROGRAM = os.environ.get("POOLPROOF_PROGRAM")
COMPILER = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")


def requests():
    """Max and average pooling of ranks 1 to 3 with all that the examples declare."""
    draw, asked = random.Random(1), []
    for _ in range(60):
        rank = draw.randint(1, 3)
        sizes = [draw.randint(1, 6) for _ in range(rank)]
        kernel = [draw.randint(1, n) for n in sizes]
        attrs = {"kernel": kernel, "stride": [draw.randint(1, 3) for _ in kernel],
                 "pad_begin": [draw.randint(0, k // 2) for k in kernel]}
        attrs["pad_end"] = attrs["pad_begin"]
        shape = [draw.randint(1, 2) for _ in range(draw.randint(0, 2))] + sizes
        x = [draw.choice([draw.gauss(0, 10), 0.5, -1e30, math.inf]) for _ in range(math.prod(shape))]
        asked.append(case(draw.choice(["max_pool", "avg_pool"]), attrs, tensor(draw.choice(["f64", "f32"]), shape, x)))
    return asked


class Examples:
    """The tests of one example."""

    def test_a_maximum_ignores_padding(self):
        x = tensor("f32", [1, 2, 2], [-1, -2, -3, -4])
        attrs = {"kernel": [2, 2], "stride": [1, 1], "pad_begin": [1, 1], "pad_end": [1, 1]}
        y, = self.outputs(case("max_pool", attrs, x))
        self.assertEqual((y["dtype"], y["shape"]), ("f32", [1, 3, 3]))
        self.assertEqual(values(y), [-1, -1, -2, -1, -1, -2, -3, -3, -4])

    def test_an_average_counts_padding(self):
        y, = self.outputs(case("avg_pool", {"kernel": [2], "pad_begin": [1], "pad_end": [1]},
                               tensor("f64", [2], [1, 2])))
        self.assertEqual(values(y), [0.5, 1])

    def test_a_kernel_that_does_not_fit_is_rejected(self):
        reply, = self.adapter.ask(case("max_pool", {"kernel": [3]}, tensor("f64", [2], [1, 2])))
        self.assertIn("rejected", reply)

    def test_an_input_of_too_few_axes_is_rejected(self):
        for kernel, shape in (([1], []), ([1, 1], [2])):
            reply, = self.adapter.ask(case("max_pool", {"kernel": kernel}, tensor("f64", shape, [1] * math.prod(shape))))
            self.assertIn("rejected", reply)

    @unittest.skipUnless(PROGRAM, "ctest names the program")
    def test_it_keeps_to_the_protocol(self):
        command = " ".join(map(str, self.command))
        checked = subprocess.run([PROGRAM, "adapter", "check", "--backend", f"cmd:{command}"], stdout=subprocess.PIPE)
        self.assertEqual(checked.returncode, 0, checked.stdout.decode())

    def test_an_empty_batch_has_an_empty_answer(self):
        y, = self.outputs(case("max_pool", {"kernel": [2]}, tensor("f64", [0, 4], [])))
        self.assertEqual((y["shape"], y["bits"]), ([0, 2], ""))

    def test_it_answers_as_the_python_one_does(self):
        with Adapter(sys.executable, PYTHON / "example.py") as python:
            self.assertEqual([reply["outputs"] for reply in python.ask(*requests())],
                             [{"y": y} for y in self.outputs(*requests())])

    def test_it_ends_with_its_input(self):
        with Adapter(*self.command) as adapter:
            self.assertEqual(adapter.end(), (0, ""))

    def outputs(self, *asked):
        return [reply["outputs"]["y"] for reply in self.adapter.ask(*asked)]

    @classmethod
    def tearDownClass(cls):
        cls.adapter.__exit__()

    @classmethod
    def start(cls, *command):
        cls.command, cls.adapter = command, Adapter(*command)


class PythonExample(Examples, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.start(sys.executable, PYTHON / "example.py")

    def test_the_readme_shows_it(self):
        source = (PYTHON / "example.py").read_text()
        self.assertIn("```python\n" + source + "```\n", (ROOT / "README.md").read_text())

    def test_it_has_about_forty_lines(self):
        self.assertLessEqual(len((PYTHON / "example.py").read_text().splitlines()), 40)


@unittest.skipUnless(shutil.which("node"), "needs Node.js")
class NodeExample(Examples, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.start("node", ROOT / "adapters/node/example.js")


@unittest.skipUnless(COMPILER, "needs a C compiler")
class CExample(Examples, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        program = Path(cls.folder.name, "example")
        built = subprocess.run([COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-o", program,
                                ROOT / "adapters/c/example.c", "-lm"], stderr=subprocess.PIPE)
        if built.returncode:
            raise AssertionError(built.stderr.decode())
        cls.start(program)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()


if __name__ == "__main__":
    unittest.main()
