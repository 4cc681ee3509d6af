# SPDX-License-Identifier: Apache-2.0
"""Loads exported node tests with the onnx package, checks each model, and compares its reference evaluator with them:
python3 load.py DIR. Where the evaluator departs, docs/FINDINGS.md has to explain it, or the exit code is 1."""

import re
import sys
from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

EXPLAINED = {  # in release 1.22.0, by the test's name
    "GlobalMaxPool reduces two axes": r"global_max_pool_|bins_max_global_|found_onnx_global",
    "MaxPool at stride 1 pads rank 2 alone": r"maximum_padding|size_max_end_pads|size_max_pads_interleaved|size_max_same"
                                             r"|found_onnx_(end_pads|pads_of|same_rank)|twin_max_(08|09|10|17|18)",
    "AveragePool forgets the dilation under auto_pad": r"size_avg_(same_lower|same_upper|valid)_dilated"
                                                       r"|found_onnx_(same_upper|valid)_dilated",
    "sums in 16 bits": r"average_accumulates_in_",
    "sums that overflow, which is permitted": r"special_average_greatest_",
}


def explained(name):
    return any(re.match("test_(?:%s)" % pattern, name) for pattern in EXPLAINED.values())


def main(folder):
    tests = sorted(Path(folder).glob("test_*"))
    apart = refused = 0
    unexplained = []
    for test in tests:
        model = onnx.load(str(test / "model.onnx"))
        onnx.checker.check_model(model, full_check=True)
        x, y = (numpy_helper.to_array(onnx.load_tensor(str(test / "test_data_set_0" / f"{name}_0.pb")))
                for name in ("input", "output"))
        assert list(x.shape) == [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim], test
        assert list(y.shape) == [d.dim_value for d in model.graph.output[0].type.tensor_type.shape.dim], test
        try:
            (got,) = ReferenceEvaluator(model).run(None, {"x": x})
        except Exception as why:  # it does not know every dtype and attribute
            refused += 1
            if not explained(test.name):
                unexplained.append(f"{test.name}: refused: {str(why).splitlines()[0][:80]}")
            continue
        wide = [a.astype(numpy.float64) for a in (got, y)]
        if wide[0].shape != wide[1].shape or not numpy.allclose(*wide, rtol=1e-2, equal_nan=True):
            apart += 1
            if not explained(test.name):
                unexplained.append(f"{test.name}: the evaluator gives something else")
    print(*unexplained, sep="\n", end="\n" if unexplained else "")
    print(f"{len(tests)} node tests load; the evaluator refuses {refused} and departs from {apart}, of which "
          f"{len(unexplained)} are not explained")
    return 0 if tests and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
