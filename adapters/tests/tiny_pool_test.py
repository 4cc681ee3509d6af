# SPDX-License-Identifier: Apache-2.0
"""adapters/python/tiny_pool.py against its document, by hand."""
import math
import unittest

from support import case, python_adapter, tensor, values

IMAGE = tensor("f32", [1, 1, 3, 4], [1, 5, 2, 0,
                                     4, 5, 6, 6,
                                     -1, 7, 0, 3])


def long(*numbers):
    return tensor("f32", [1, 1, len(numbers)], numbers)


class TinyPoolTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.adapter = python_adapter("tiny_pool.py")

    @classmethod
    def tearDownClass(cls):
        cls.adapter.__exit__()

    def outputs(self, asked):
        reply, = self.adapter.ask(asked)
        self.assertIn("outputs", reply)
        return reply["outputs"]

    def test_the_stride_defaults_to_the_kernel(self):
        y = self.outputs(case("max_pool", {"kernel": [2]}, long(1, 3, 2, 5)))["y"]
        self.assertEqual((y["shape"], values(y)), ([1, 1, 2], [3, 5]))

    def test_edge_elements_are_dropped(self):
        y = self.outputs(case("avg_pool", {"kernel": [2]}, long(1, 3, 2, 5, 100)))["y"]
        self.assertEqual((y["shape"], values(y)), ([1, 1, 2], [2, 3.5]))

    def test_the_output_has_l_less_k_over_s_plus_one(self):
        y = self.outputs(case("max_pool", {"kernel": [2, 2], "stride": [1, 2]}, IMAGE))["y"]
        self.assertEqual((y["shape"], values(y)), ([1, 1, 2, 2], [5, 6, 7, 6]))

    def test_channels_and_batch_are_pooled_alone(self):
        x = tensor("f32", [2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(values(self.outputs(case("max_pool", {"kernel": [2]}, x))["y"]), [2, 4, 6, 8])

    def test_the_mask_in_1_d_is_the_absolute_position_of_the_first_maximum(self):
        asked = case("max_pool", {"kernel": [2], "return_indices": True}, long(7, 7, 1, 2))
        mask = self.outputs(asked)["indices"]
        self.assertEqual((mask["dtype"], mask["shape"], values(mask)), ("i64", [1, 1, 2], [0, 3]))

    def test_the_mask_in_2_d_packs_row_and_column_side_by_side(self):
        attrs = {"kernel": [2, 2], "stride": [1, 2], "return_indices": True, "index_form": "row_column"}
        mask = self.outputs(case("max_pool", attrs, IMAGE))["indices"]
        self.assertEqual((mask["dtype"], mask["shape"]), ("f32", [1, 1, 2, 4]))
        self.assertEqual(values(mask), [0, 1, 1, 2, 2, 1, 1, 2])

    def test_the_gradient_of_a_maximum_flows_into_its_position_only(self):
        asked = case("max_pool", {"kernel": [2, 2], "stride": [1, 2]}, IMAGE, "vjp",
                     cotangent=tensor("f32", [1, 1, 2, 2], [1, 2, 4, 8]))
        self.assertEqual(values(self.outputs(asked)["dx"]), [0, 1, 0, 0, 0, 0, 10, 0, 0, 4, 0, 0])

    def test_the_gradient_of_an_average_is_spread_evenly(self):
        asked = case("avg_pool", {"kernel": [2], "stride": [1]}, long(0, 0, 0), "vjp",
                     cotangent=tensor("f32", [1, 1, 2], [2, 6]))
        self.assertEqual(values(self.outputs(asked)["dx"]), [1, 4, 3])

    def test_sums_are_rounded_to_f32(self):
        y = self.outputs(case("avg_pool", {"kernel": [3]}, long(2.0**24, 1, 1)))["y"]
        self.assertEqual(values(y), [5592405.5])  # 2^24 / 3: both 1 are rounded away

    def test_special_values(self):
        def maximum(*numbers):
            return values(self.outputs(case("max_pool", {"kernel": [len(numbers)]}, long(*numbers)))["y"])[0]

        nan = math.nan
        self.assertEqual(maximum(nan, 1, nan), 1)
        self.assertEqual(maximum(-math.inf, -math.inf), -math.inf)
        self.assertEqual(maximum(nan, -math.inf), -math.inf)
        marked = case("max_pool", {"kernel": [2], "return_indices": True}, long(nan, -math.inf))
        self.assertEqual(bytes.fromhex(self.outputs(marked)["indices"]["bits"])[0], 1)
        self.assertEqual(math.copysign(1, maximum(-0.0, 0.0)), -1)
        self.assertEqual(math.copysign(1, maximum(0.0, -0.0)), 1)

    def test_what_it_does_not_have_is_refused(self):
        x = long(1, 2, 3, 4)
        wrong = [{"kernel": [5]}, {"kernel": [2], "pad_begin": [1]}, {"kernel": [2], "dilation": [2]}, {"kernel": [0]},
                 {"kernel": [2], "stride": [0]}, {"kernel": [2], "ceil_mode": True},
                 {"kernel": [2], "auto_pad": "same_upper"}]
        for reply, attrs in zip(self.adapter.ask(*(case("max_pool", attrs, x) for attrs in wrong)), wrong):
            self.assertIn("rejected", reply, attrs)
        flat = tensor("f32", [4], [1, 2, 3, 4])
        self.assertIn("rejected", self.adapter.ask(case("max_pool", {"kernel": [2]}, flat))[0])
        wide = tensor("f64", [1, 1, 4], [1, 2, 3, 4])
        self.assertIn("declined", self.adapter.ask(case("max_pool", {"kernel": [2]}, wide))[0])


if __name__ == "__main__":
    unittest.main()
