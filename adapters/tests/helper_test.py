# SPDX-License-Identifier: Apache-2.0
"""adapters/python/poolproof_adapter.py: tensors, both framings, and what may go wrong."""
import json
import math
import subprocess
import sys
import textwrap
import unittest

from support import CRC_32, HEADER, PYTHON, Adapter, case, needs, tensor, values

CASE = case("max_pool", {"kernel": [2]}, tensor("f32", [1, 4], [1, 2, 3, 4]))


def helper_script(body, **more):
    """An adapter of the given lines."""
    script = f"import sys\nsys.path.insert(0, {str(PYTHON)!r})\nfrom poolproof_adapter import *\n"
    return Adapter(sys.executable, "-c", script + textwrap.dedent(body), **more)


ECHO = '''
    def run(case):
        x = case["input"]
        return {"y": Tensor(x.dtype, x.shape, x.raw), "dy": Tensor.of(x.dtype, x.shape, x.values())}
    serve(run, name="echo")
    '''


class TensorTest(unittest.TestCase):
    """In a process of its own, since the helper takes standard input and output away."""

    def evaluated(self, expression):
        script = f"import sys; sys.path.insert(0, {str(PYTHON)!r}); import poolproof_adapter as a; Tensor = a.Tensor\n"
        script += f"import os; os.write(a.REPLIES, repr({expression}).encode())"
        result = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return eval(result.stdout, {"inf": math.inf, "nan": math.nan})

    def test_every_dtype_reads_back_what_it_wrote(self):
        for dtype, numbers in [("f64", [0.1, -2.5]), ("f32", [0.5, -2.5]), ("f16", [0.5, 65504.0]),
                               ("bf16", [0.5, -1.0078125]), ("i8", [-128, 127]), ("u8", [0, 255]),
                               ("i32", [-2**31, 2**31 - 1]), ("i64", [-2**63, 2**63 - 1])]:
            self.assertEqual(self.evaluated(f"Tensor.of({dtype!r}, [2], {numbers}).values()"), numbers, dtype)

    def test_bytes_are_little_endian(self):
        self.assertEqual(self.evaluated("Tensor.of('f32', [1], [1.0]).raw"), b"\0\0\x80\x3f")
        self.assertEqual(self.evaluated("Tensor.of('bf16', [1], [1.0]).raw"), b"\x80\x3f")

    def test_too_large_a_number_becomes_an_infinity(self):
        self.assertEqual(self.evaluated("Tensor.of('f32', [3], [3.5e38, -1e300, 3.4028235e38]).values()"),
                         [math.inf, -math.inf, 3.4028234663852886e38])
        self.assertEqual(self.evaluated("Tensor.of('f16', [2], [65519.0, 65520.0]).values()"), [65504, math.inf])
        self.assertEqual(self.evaluated("Tensor.of('bf16', [1], [3.4e38]).values()"), [math.inf])

    def test_bf16_is_rounded_to_nearest_with_ties_to_even(self):
        self.assertEqual(self.evaluated("Tensor.of('bf16', [4], [1.00390625, 1.01171875, 1.005, -1.005]).values()"),
                         [1.0, 1.015625, 1.0078125, -1.0078125])

    def test_nan_stays_nan(self):
        for dtype in ("f64", "f32", "f16", "bf16"):
            read = self.evaluated(f"Tensor.of({dtype!r}, [2], [float('nan'), -float('inf')]).values()")
            self.assertTrue(math.isnan(read[0]), dtype)
            self.assertEqual(read[1], -math.inf, dtype)

    @needs("numpy")
    def test_arrays_have_the_same_bytes(self):
        for dtype in ("f64", "f32", "f16", "bf16"):
            array = f"Tensor.of({dtype!r}, [2, 2], [0.1, -2.0, float('inf'), 1e-3]).array()"
            self.assertEqual(self.evaluated(f"Tensor.of({dtype!r}, (2, 2), {array}).raw"),
                             self.evaluated(f"Tensor.of({dtype!r}, [2, 2], [0.1, -2.0, float('inf'), 1e-3]).raw"))


class ConversationTest(unittest.TestCase):
    def test_both_framings_carry_the_same_bytes(self):
        asked = [case("max_pool", {}, tensor(dtype, [2, 3], list(range(6)))) for dtype in ("f64", "i8", "i64")]
        asked.append(case("max_pool", {}, tensor("f32", [0], [])))
        for frames in (False, True):
            with helper_script(ECHO, frames=frames) as adapter:
                self.assertEqual(adapter.hello["framing"], "binary" if frames else "lines")
                for sent, reply in zip(asked, adapter.ask(*asked)):
                    self.assertEqual(reply["outputs"]["y"], sent["input"])
                    self.assertEqual(reply["outputs"]["dy"], sent["input"])
                self.assertEqual(adapter.end()[0], 0)

    def test_frames_are_taken_only_if_offered(self):
        with helper_script(ECHO, frames=True, framings=()) as adapter:
            self.assertEqual(adapter.hello["framing"], "lines")
            self.assertIn("outputs", adapter.ask(CASE)[0])

    def test_each_reply_is_out_before_the_next_request_is_read(self):
        for frames in (False, True):
            with helper_script(ECHO, frames=frames) as adapter:
                for _ in range(3):
                    self.assertIn("outputs", adapter.ask(CASE)[0])

    def test_a_batch_is_answered_in_order(self):
        for frames in (False, True):
            with helper_script(ECHO, frames=frames) as adapter:
                asked = [case("max_pool", {}, tensor("f64", [1], [k])) for k in range(300)]
                replies = adapter.ask(*asked)
                self.assertEqual([values(r["outputs"]["y"])[0] for r in replies], list(range(300)))

    def test_prints_go_to_standard_error_and_standard_input_is_empty(self):
        with helper_script('''
                import os
                def run(case):
                    print("from Python")
                    os.system("echo from a child; cat")
                    os.write(1, b"from the framework\\n")
                    return {"y": case["input"]}
                serve(run)
                ''') as adapter:
            self.assertEqual(adapter.ask(CASE, CASE)[1]["outputs"]["y"], CASE["input"])
            code, talk = adapter.end()
            self.assertEqual(code, 0)
            for line in ("from Python", "from a child", "from the framework"):
                self.assertIn(line, talk)

    def test_exceptions_become_the_three_refusals(self):
        with helper_script('''
                def run(case):
                    if case["op"] == "max_pool": raise Declined("not this")
                    if case["op"] == "avg_pool": raise Rejected("not so")
                    return {"y": 1 / 0}
                serve(run)
                ''') as adapter:
            replies = adapter.ask(*({**CASE, "op": op} for op in ("max_pool", "avg_pool", "graph")))
            self.assertEqual(replies[0], {"id": 100, "declined": "not this"})
            self.assertEqual(replies[1], {"id": 101, "rejected": "not so"})
            self.assertIn("ZeroDivisionError", replies[2]["failed"])

    def test_a_frame_after_a_failure_is_whole(self):
        with helper_script('''
                def run(case): return {"y": case["input"], **({"z": 3} if case["op"] == "avg_pool" else {})}
                serve(run)
                ''', frames=True) as adapter:
            replies = adapter.ask({**CASE, "op": "avg_pool"}, CASE)
            self.assertIn("AttributeError", replies[0]["failed"])
            self.assertEqual(replies[1]["outputs"]["y"], CASE["input"])

    def test_attributes_that_were_left_out_are_filled_in(self):
        with helper_script('''
                def run(case): raise Declined(encode(case["attrs"]))
                serve(run)
                ''') as adapter:
            nodes = [{"op": "max_pool", "attrs": {"kernel": [2, 3], "pad_begin": [1, 0]}, "input": -1}]
            bare = {name: value for name, value in CASE.items() if name != "attrs"}
            replies = adapter.ask(CASE, {**CASE, "attrs": {"nodes": nodes}}, bare)
            told = [json.loads(reply["declined"]) for reply in replies]
            self.assertEqual(told[0]["stride"], [2])
            self.assertEqual((told[0]["pad_begin"], told[0]["pad_end"], told[0]["dilation"]), ([0], [0], [1]))
            self.assertEqual((told[0]["ceil_mode"], told[0]["count_include_pad"]), (False, True))
            self.assertEqual((told[0]["index_form"], told[0]["memory"]), ("flat", "contiguous"))
            node = told[1]["nodes"][0]["attrs"]
            self.assertEqual((node["stride"], node["pad_begin"], node["pad_end"]), ([2, 3], [1, 0], [1, 0]))
            self.assertTrue(told[2]["keepdims"])

    def test_messages_of_unknown_types_are_passed_over(self):
        with helper_script(ECHO) as adapter:
            adapter.write(b'{"type":"weather","id":1}\n')
            self.assertIn("outputs", adapter.ask(CASE)[0])


class DamagedFrameTest(unittest.TestCase):
    def ended_by(self, frame):
        with helper_script(ECHO, frames=True) as adapter:
            adapter.write(frame)
            return adapter.end()

    def test_a_wrong_checksum_ends_it(self):
        code, talk = self.ended_by(HEADER.pack(b"PPF1", 1, CRC_32, 0, 7, 2, 0) + b"{}")
        self.assertNotEqual(code, 0)
        self.assertIn("damaged", talk)

    def test_a_length_beyond_the_limit_ends_it_before_anything_is_allocated(self):
        for head, body in [(2**32 - 1, 0), (2, 2**64 - 1)]:
            code, talk = self.ended_by(HEADER.pack(b"PPF1", 1, 0, 0, 0, head, body))
            self.assertNotEqual(code, 0)
            self.assertNotIn("MemoryError", talk)
            self.assertIn("poolproof_adapter: ", talk)

    def test_another_magic_or_version_ends_it(self):
        for magic, version in [(b"PPF2", 1), (b"PPF1", 2)]:
            self.assertNotEqual(self.ended_by(HEADER.pack(magic, version, 0, 0, 0, 2, 0) + b"{}")[0], 0)

    def test_a_frame_that_ends_early_ends_it(self):
        self.assertIn("ends early", self.ended_by(HEADER.pack(b"PPF1", 1, 0, 0, 0, 2, 8) + b"{}abc")[1])

    def test_the_greeting_names_the_checksum_that_it_verifies(self):
        with helper_script(ECHO, frames=True) as adapter:
            self.assertEqual(adapter.hello["checksum"], "crc32")

    def test_a_checksum_of_the_kind_that_it_lacks_is_let_pass(self):
        head = b'{"type":"weather"}'
        self.assertEqual(self.ended_by(HEADER.pack(b"PPF1", 1, 1, 0, 123, len(head), 0) + head)[0], 0)


class SizeTest(unittest.TestCase):
    def test_the_helper_has_at_most_a_hundred_lines(self):
        self.assertLessEqual(len((PYTHON / "poolproof_adapter.py").read_text().splitlines()), 100)


if __name__ == "__main__":
    unittest.main()
