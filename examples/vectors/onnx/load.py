# SPDX-License-Identifier: Apache-2.0
"""Loads exported node tests with the onnx package, checks each model, and compares its reference evaluator with them:
python3 load.py DIR. The evaluator's own departures from ONNX are counted, not hidden."""

import sys
from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator


def main(folder):
    tests = sorted(Path(folder).glob("test_*"))
    apart = refused = 0
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
            print(f"{test.name}: refused: {str(why).splitlines()[0][:80]}")
            continue
        wide = [a.astype(numpy.float64) for a in (got, y)]
        if wide[0].shape != wide[1].shape or not numpy.allclose(*wide, rtol=1e-2, equal_nan=True):
            apart += 1
            print(f"{test.name}: the evaluator gives something else")
    print(f"{len(tests)} node tests load; the evaluator refuses {refused} and departs from {apart}")
    return 0 if tests else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
