# SPDX-License-Identifier: Apache-2.0
"""docs/schema against real messages: those of the runner, of the adapters here, and of the one that misbehaves."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, Adapter, case, needs, python_adapter, tensor

SCHEMAS = ROOT / "docs/schema"
TESTS = Path(__file__).parent
POOL = {"kernel": [2], "stride": [2], "pad_begin": [0], "pad_end": [0], "dilation": [1], "ceil_mode": False}
CASES = [case("max_pool", {**POOL, "return_indices": True}, tensor("f32", [1, 1, 4], [1, 2, 4, 3])),
         case("avg_pool", POOL, tensor("f32", [1, 1, 4], [1, 2, 4, 3]), "vjp",
              cotangent=tensor("f32", [1, 1, 2], [1, 2])),
         case("avg_pool", {"kernel": [9]}, tensor("f32", [1, 1, 4], [1, 2, 4, 3])),
         case("max_pool", POOL, tensor("f64", [1, 1, 4], [1, 2, 4, 3]))]


def validators():
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    texts = {path.name: json.loads(path.read_text()) for path in sorted(SCHEMAS.glob("*.json"))}
    for text in texts.values():
        Draft202012Validator.check_schema(text)
    registry = Registry().with_resources([(name, Resource.from_contents(text)) for name, text in texts.items()])
    return {name.split(".")[0]: Draft202012Validator(text, registry=registry) for name, text in texts.items()}


def kind(message):
    """The schema that a message of the protocol is for."""
    if not isinstance(message, dict) or "type" not in message:
        return "run_reply"
    if message["type"] == "run":
        return "run_request"
    return "hello_reply" if {"name", "framing", "capabilities"} & set(message) else "hello_request"


@needs("jsonschema")
class SchemasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validators = validators()

    def assert_valid(self, message, schema=None):
        errors = list(self.validators[schema or kind(message)].iter_errors(message))
        self.assertFalse(errors, (str(message)[:300], [error.message for error in errors]))

    def assert_invalid(self, message, schema=None):
        self.assertTrue(list(self.validators[schema or kind(message)].iter_errors(message)), str(message)[:300])

    def test_every_message_has_a_schema(self):
        self.assertEqual(set(self.validators), {"case", "hello_request", "hello_reply", "run_request", "run_reply",
                                                "layers"})

    def test_messages_of_adapters(self):
        for frames in (False, True):
            with python_adapter("tiny_pool.py", frames=frames) as adapter:
                replies = adapter.ask(*CASES)
                self.assertEqual([next(key for key in reply if key != "id") for reply in replies],
                                 ["outputs", "outputs", "rejected", "declined"])
                for message in [adapter.hello, *replies, *adapter.heads]:
                    self.assert_valid(message)
        for asked in CASES:
            self.assert_valid({"type": "run", "id": 1, "case": asked})
        for path in ("example.py", "pytorch.py"):
            with python_adapter(path) as adapter:
                if adapter.hello is not None:  # torch may not be there
                    self.assert_valid(adapter.hello)

    @unittest.skipUnless(os.environ.get("POOLPROOF_PROGRAM"), "ctest names the program")
    def test_messages_of_the_runner(self):
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "messages")
            backend = f"cmd:{sys.executable} {TESTS / 'recorder.py'} {record}"
            run = subprocess.run([os.environ["POOLPROOF_PROGRAM"], "check", "--backend", backend, "--cases", "200"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            self.assertEqual(run.returncode, 0, run.stdout.decode())
            messages = [json.loads(line) for line in record.read_text().splitlines()]
        kinds = [kind(message) for message in messages]
        self.assertEqual(kinds[:2], ["hello_request", "hello_reply"])
        self.assertGreater(kinds.count("run_request"), 100)
        self.assertEqual(kinds.count("run_reply"), kinds.count("run_request"))
        for message in messages:
            self.assert_valid(message)

    def test_malformed_messages_do_not_pass(self):
        for mode in ("missing-output", "unknown-dtype", "negative-shape", "no-kind", "two-kinds", "no-id", "bad-hex"):
            with Adapter(sys.executable, TESTS / "misbehaves.py", mode, "--every", "1") as adapter:
                adapter.write(adapter.request(7, CASES[0]))
                self.assert_invalid(adapter.receive())
        with Adapter(sys.executable, TESTS / "misbehaves.py", "speaks-version-2") as adapter:
            self.assert_invalid(adapter.hello)

    def test_an_output_that_nobody_asked_for_passes(self):
        with Adapter(sys.executable, TESTS / "misbehaves.py", "extra-output", "--every", "1") as adapter:
            adapter.write(adapter.request(7, CASES[0]))
            self.assert_valid(adapter.receive())

    def test_wrong_greetings_do_not_pass(self):
        hello = {"type": "hello", "protocol": 1, "name": "x"}
        self.assert_valid(hello)
        self.assert_valid({**hello, "mood": "good"})
        for field, value in [("capabilities", {"ops": ["maxpool"]}), ("capabilities", [{"modes": "forward"}]),
                             ("capabilities", {"attrs": ["padding"]}), ("framing", "xml"), ("name", 3),
                             ("capabilities", {"policy": {"ties": "second"}})]:
            self.assert_invalid({**hello, field: value})
        self.assert_invalid({"type": "hello"}, "hello_reply")

    def test_wrong_requests_do_not_pass(self):
        request = {"type": "run", "id": 1, "case": CASES[0]}
        self.assert_valid(request)
        for change in [{"id": "1"}, {"id": -1}, {"case": {**CASES[0], "op": "min_pool"}}, {"case": 3},
                       {"case": {**CASES[0], "attrs": {"kernal": [2]}}},
                       {"case": {**CASES[0], "input": {"dtype": "f32", "shape": [1], "at": 4, "size": 4}}}]:
            self.assert_invalid({**request, **change})

    def test_layers(self):
        layer = {"op": "max_pool", "attrs": {"kernel": [2]}, "shape": [1, 3, 8], "dtype": "f32", "profile": "onnx"}
        self.assert_valid([layer], "layers")
        for change in [{"shape": [-1]}, {"op": "MaxPool"}, {"dtype": "float"}, {"name": "pool1"}]:
            self.assert_invalid([{**layer, **change}], "layers")
        self.assert_invalid(layer, "layers")


if __name__ == "__main__":
    unittest.main()
