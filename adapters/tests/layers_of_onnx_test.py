# SPDX-License-Identifier: Apache-2.0
"""adapters/python/layers_of_onnx.py on models made here."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PYTHON, needs


def model(nodes, shape, outputs, elem="FLOAT", opset=22):
    from onnx import TensorProto, helper

    element = getattr(TensorProto, elem)
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", element, shape)],
                              [helper.make_tensor_value_info(name, element, None) for name in outputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@needs("onnx")
class LayersOfOnnxTest(unittest.TestCase):
    def listed(self, net, *options):
        import onnx

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            onnx.save(net, str(path))
            run = subprocess.run([sys.executable, PYTHON / "layers_of_onnx.py", path, *options],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        return json.loads(run.stdout), run.stderr.decode()

    def test_layers_have_the_sizes_that_reach_them(self):
        from onnx import helper

        net = model([helper.make_node("MaxPool", ["x"], ["a"], kernel_shape=[3, 3], strides=[2, 2],
                                      pads=[1, 0, 1, 2], ceil_mode=1, dilations=[1, 2]),
                     helper.make_node("AveragePool", ["a"], ["b"], kernel_shape=[2, 2], auto_pad="SAME_LOWER"),
                     helper.make_node("Relu", ["b"], ["c"]),
                     helper.make_node("GlobalAveragePool", ["c"], ["y"])], [2, 3, 9, 12], ["y"])
        found, talk = self.listed(net)
        self.assertEqual(talk, "")
        self.assertEqual(found, [
            {"op": "max_pool", "shape": [2, 3, 9, 12], "dtype": "f32", "profile": "onnx",
             "attrs": {"kernel": [3, 3], "stride": [2, 2], "pad_begin": [1, 0], "pad_end": [1, 2],
                       "dilation": [1, 2], "ceil_mode": True}},
            {"op": "avg_pool", "shape": [2, 3, 5, 6], "dtype": "f32", "profile": "onnx",
             "attrs": {"kernel": [2, 2], "stride": [1, 1], "auto_pad": "same_lower", "dilation": [1, 1],
                       "ceil_mode": False, "count_include_pad": False}},
            {"op": "global_avg_pool", "shape": [2, 3, 5, 6], "dtype": "f32", "profile": "onnx",
             "attrs": {"spatial_rank": 2, "keepdims": True}}])

    def test_equal_layers_are_listed_once(self):
        from onnx import helper

        nodes = [helper.make_node("MaxPool", [a], [b], kernel_shape=[1]) for a, b in [("x", "a"), ("a", "y")]]
        self.assertEqual(len(self.listed(model(nodes, [1, 1, 5], ["y"]))[0]), 1)

    def test_indices_are_asked_for_where_they_are_used(self):
        from onnx import helper

        nodes = [helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2], storage_order=order)
                 for order in (0, 1)]
        for order, node in enumerate(nodes):
            attrs = self.listed(model([node], [1, 1, 5], ["y"]))[0][0]["attrs"]
            self.assertEqual(attrs.get("return_indices", False), order == 0)

    def test_a_batch_without_a_size_is_one_and_others_are_named(self):
        from onnx import helper

        net = model([helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2])], ["N", 3, "length"], ["y"])
        found, talk = self.listed(net)
        self.assertEqual(found, [])
        self.assertIn("length", talk)
        self.assertEqual(self.listed(net, "--dim", "length=10")[0][0]["shape"], [1, 3, 10])
        self.assertEqual(self.listed(net, "--dim", "length=10", "--dim", "N=4")[0][0]["shape"], [4, 3, 10])

    def test_nodes_of_subgraphs_are_found(self):
        from onnx import TensorProto, helper

        def branch(kernel):
            node = helper.make_node("MaxPool", ["x"], ["z"], kernel_shape=[kernel])
            z = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
            return helper.make_graph([node], "branch", [], [z])

        constant = helper.make_node("Constant", [], ["c"], value=helper.make_tensor("v", TensorProto.BOOL, [], [True]))
        choice = helper.make_node("If", ["c"], ["y"], then_branch=branch(2), else_branch=branch(3))
        found, _ = self.listed(model([constant, choice], [1, 1, 6], ["y"]))
        self.assertEqual(sorted(one["attrs"]["kernel"] for one in found), [[2], [3]])

    def test_what_is_no_case_is_told(self):
        from onnx import helper

        net = model([helper.make_node("LpPool", ["x"], ["a"], kernel_shape=[2], name="root"),
                     helper.make_node("GlobalMaxPool", ["a"], ["y"])], [1, 1, 6], ["y"], "FLOAT16")
        found, talk = self.listed(net)
        self.assertEqual([one["op"] for one in found], ["global_max_pool"])
        self.assertEqual(found[0]["dtype"], "f16")
        self.assertIn("root: LpPool", talk)


if __name__ == "__main__":
    unittest.main()
