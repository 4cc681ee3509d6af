# SPDX-License-Identifier: Apache-2.0
"""adapters/python/pytorch.py: every op and mode by hand, and the layouts of memory."""
import math
import struct
import unittest

from support import case, needs, python_adapter, tensor, values

GRID = tensor("f64", [1, 1, 3, 4], [1, 5, 2, 0,
                                    4, 5, 6, 6,
                                    -1, 7, 0, 3])


@needs("torch", "numpy")
class PyTorchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.adapter = python_adapter("pytorch.py", frames=True)

    @classmethod
    def tearDownClass(cls):
        cls.adapter.__exit__()

    def outputs(self, asked):
        reply, = self.adapter.ask(asked)
        self.assertIn("outputs", reply, reply)
        return reply["outputs"]

    def numbers(self, op, attrs, x, mode="forward", **more):
        (_, y), = self.outputs(case(op, attrs, x, mode, **more)).items()
        return values(y)

    def test_it_declares_what_every_op_can(self):
        self.assertEqual((self.adapter.hello["name"], self.adapter.hello["profile"]), ("torch", "pytorch"))
        declared = self.adapter.hello["capabilities"]
        self.assertEqual({op for table in declared for op in table["ops"]},
                         {"max_pool", "avg_pool", "smooth_max_pool", "adaptive_max_pool", "adaptive_avg_pool",
                          "global_max_pool", "global_avg_pool", "graph"})
        self.assertFalse([t for t in declared if "avg_pool" in t["ops"] and "dilation" in t["attrs"]])

    def test_maximum_with_indices_in_every_layout(self):
        for memory in ("contiguous", "channels_last", "strided"):
            attrs = {"kernel": [2, 2], "stride": [1, 2], "return_indices": True, "memory": memory}
            outputs = self.outputs(case("max_pool", attrs, GRID))
            self.assertEqual(values(outputs["y"]), [5, 6, 7, 6])
            self.assertEqual((outputs["indices"]["dtype"], values(outputs["indices"])), ("i64", [1, 6, 9, 6]))

    def test_layouts_change_no_value_with_several_channels(self):
        x = tensor("f32", [2, 3, 4, 5], [math.sin(k) for k in range(120)])
        answers = [self.numbers("avg_pool", {"kernel": [2, 2], "memory": memory}, x)
                   for memory in ("contiguous", "channels_last", "strided")]
        self.assertEqual(len(answers[0]), 24)
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def test_average_with_padding_ceil_and_divisor(self):
        x = tensor("f64", [1, 1, 3], [3, 6, 9])
        attrs = {"kernel": [2], "stride": [2], "pad_begin": [1], "pad_end": [1]}
        self.assertEqual(self.numbers("avg_pool", attrs, x), [1.5, 7.5])
        self.assertEqual(self.numbers("avg_pool", {**attrs, "count_include_pad": False}, x), [3, 7.5])
        self.assertEqual(self.numbers("avg_pool", {"kernel": [2], "ceil_mode": True}, x), [4.5, 9])
        square = tensor("f64", [1, 2, 2], [1, 2, 3, 4])
        self.assertEqual(self.numbers("avg_pool", {"kernel": [2, 2], "divisor_override": 5}, square), [2])

    def test_any_number_of_leading_axes(self):
        for leading in ([], [2], [2, 3], [2, 3, 2], [0], [2, 0]):
            x = tensor("f64", [*leading, 4], list(range(4 * math.prod(leading))))
            y = self.outputs(case("max_pool", {"kernel": [2]}, x))["y"]
            self.assertEqual((y["shape"], values(y)), ([*leading, 2], list(range(1, 4 * math.prod(leading), 2))))

    def test_adaptive_and_global(self):
        x = tensor("f64", [2, 4], [1, 2, 3, 4, 8, 7, 6, 5])
        self.assertEqual(self.numbers("adaptive_avg_pool", {"output_size": [2]}, x), [1.5, 3.5, 7.5, 5.5])
        self.assertEqual(self.numbers("adaptive_max_pool", {"output_size": [3]}, x), [2, 3, 4, 8, 7, 6])
        flat = self.outputs(case("global_max_pool", {"spatial_rank": 2, "keepdims": False}, x))["y"]
        self.assertEqual((flat["shape"], values(flat)), ([], [8]))
        kept = self.outputs(case("global_avg_pool", {"spatial_rank": 1}, x))["y"]
        self.assertEqual((kept["shape"], values(kept)), ([2, 1], [2.5, 6.5]))

    def test_derivatives(self):
        attrs = {"kernel": [2], "stride": [1]}
        x, v = tensor("f64", [3], [1, 3, 3]), tensor("f64", [3], [10, 20, 40])
        g = tensor("f64", [2], [1, 2])
        self.assertEqual(self.numbers("max_pool", attrs, x, "jvp", tangent=v), [20, 20])
        self.assertEqual(self.numbers("max_pool", attrs, x, "vjp", cotangent=g), [0, 3, 0])
        self.assertEqual(self.numbers("avg_pool", attrs, x, "jvp", tangent=v), [15, 30])
        self.assertEqual(self.numbers("avg_pool", attrs, x, "vjp", cotangent=g), [0.5, 1.5, 1])

    def test_smooth_maximum(self):
        x = tensor("f64", [2], [0, math.log(3)])
        self.assertAlmostEqual(self.numbers("smooth_max_pool", {"kernel": [2], "beta": "0x1p+0"}, x)[0], math.log(4))
        self.assertAlmostEqual(self.numbers("smooth_max_pool", {"kernel": [2], "beta": -1}, x)[0], -math.log(4 / 3))
        gradient = self.numbers("smooth_max_pool", {"kernel": [2], "beta": 1}, x, "vjp",
                                cotangent=tensor("f64", [1], [8]))
        self.assertAlmostEqual(gradient[0], 2)
        self.assertAlmostEqual(gradient[1], 6)
        padded = self.numbers("smooth_max_pool", {"kernel": [2], "beta": 1, "pad_begin": [1], "pad_end": [1]}, x)
        self.assertAlmostEqual(padded[0], math.log(2))
        large = tensor("f32", [3], [3e38, -3e38, math.inf])
        self.assertEqual(self.numbers("smooth_max_pool", {"kernel": [1], "beta": 100}, large),
                         values(large))

    def test_graphs_compose_and_their_gradients_add(self):
        nodes = [{"op": "max_pool", "attrs": {"kernel": [2]}, "input": -1},
                 {"op": "avg_pool", "attrs": {"kernel": [2]}, "input": 0}, {"op": "add", "inputs": [1, 1]}]
        x = tensor("f64", [4], [1, 2, 4, 3])
        self.assertEqual(self.numbers("graph", {"nodes": nodes}, x), [6])
        self.assertEqual(self.numbers("graph", {"nodes": nodes}, x, "vjp", cotangent=tensor("f64", [1], [5])),
                         [0, 5, 5, 0])

    def test_every_dtype_comes_back(self):
        for dtype in ("f64", "f32", "f16", "i8", "u8", "i32", "i64"):
            y = self.outputs(case("max_pool", {"kernel": [2, 2]}, tensor(dtype, [1, 2, 2], [1, 2, 4, 3])))["y"]
            self.assertEqual((y["dtype"], values(y)), (dtype, [4]))
        halves = {"dtype": "bf16", "shape": [1, 2], "bits": struct.pack("<2H", 0x3f80, 0x4000).hex()}
        self.assertEqual(self.outputs(case("avg_pool", {"kernel": [2]}, halves))["y"]["bits"],
                         struct.pack("<H", 0x3fc0).hex())

    def test_what_is_invalid_is_rejected_in_torchs_words(self):
        x = tensor("f64", [1, 4], [1, 2, 3, 4])
        for attrs in ({"kernel": [2], "pad_begin": [2]}, {"kernel": [0]}, {"kernel": [9]}):
            reply, = self.adapter.ask(case("max_pool", attrs, x))
            self.assertIn("rejected", reply)
        reply, = self.adapter.ask(case("max_pool", {"kernel": [2], "pad_begin": [1], "pad_end": [0]}, x))
        self.assertIn("declined", reply)


if __name__ == "__main__":
    unittest.main()
