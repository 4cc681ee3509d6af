# SPDX-License-Identifier: Apache-2.0
"""What was found in real implementations (docs/FINDINGS.md), each in its smallest case."""

from __future__ import annotations

from drafts import Drafts
from shipped import FLOATS


def found(d: Drafts) -> None:
    def pytorch(name: str, clause: str, flags: str, note: str, op: str, attrs, x, **more) -> None:
        d.add(f"found-pytorch-{name}", "found", clause, f"found {flags}", f"PyTorch 2.13.0: {note}", op, attrs, x,
              **{"dtypes": FLOATS, "level": "recommended", **more})

    beside = {"kernel": [2], "stride": [1], "pad_begin": [1], "dilation": [3]}
    across = {"kernel": [1, 2], "stride": [2, 1], "pad_begin": [0, 1], "dilation": [1, 3]}
    pytorch("step-over-vjp", "DEmpty", "dilated_padding empty_window", "both taps lie beside the input; backward writes past "
            "its end.", "max_pool", beside, [1, 2], cotangent=[1])
    pytorch("step-over-jvp", "DEmpty", "dilated_padding empty_window", "the same, forward mode.", "max_pool", beside, [1, 2],
            tangent=[3, 5])
    pytorch("step-over-row-vjp", "MTie", "dilated_padding empty_window", "backward gives the cotangent to a cell of the next "
            "row.", "max_pool", across, [[1, 2], [3, 4]], cotangent=[[1]])
    pytorch("step-over-row-jvp", "DEmpty", "dilated_padding empty_window", "forward mode takes a tangent of the next row.",
            "max_pool", across, [[1, 2], [3, 4]], tangent=[[1, 1], [1, 1]])
    pytorch("half-sums-overflow", "V1", "accumulation format_edge", "adaptive_avg_pool3d sums in 16 bits: infinity.",
            "adaptive_avg_pool", {"output_size": [1, 1, 2]}, [[[60000, 60000, 60000, 60000]]], dtypes="f64 f32 f16")
    pytorch("bfloat-sums-lose-ones", "V1", "accumulation", "adaptive_avg_pool3d sums in 16 bits: 171/2.",
            "adaptive_avg_pool", {"output_size": [1, 1, 2]}, [[[256, 1, 1, 256, 1, 1]]])
    pytorch("half-sums-overflow-jvp", "V1", "accumulation format_edge", "the tangent's sum, too.", "adaptive_avg_pool",
            {"output_size": [1, 1, 2]}, [[[0, 0, 0, 0]]], tangent=[[[60000, 60000, 60000, 60000]]], dtypes="f64 f32 f16")
    pytorch("kernel-wider-than-unpadded", "WOver", "oversized_kernel padding", "avg_pool3d refuses it.", "avg_pool",
            {"kernel": [3, 1, 1], "stride": [1, 1, 1], "pad_begin": [1, 0, 0]}, [[[1]], [[2]]])
    pytorch("window-of-2-to-32", "WOver", "dilation format_limits rejection", "kernel times dilation wraps to 0 and the input "
            "comes back.", "max_pool", {"kernel": [65537], "stride": [1], "dilation": [65536]}, [1, 2, 3], rejected=True,
            profiles=["pytorch"])
    pytorch("index-without-depth", "MIdx", "memory return_indices", "in channels-last order the index forgets the depth.",
            "max_pool", {"kernel": [1, 1, 1], "return_indices": True, "memory": "channels_last"},
            [[[[[0]], [[0]]], [[[0]], [[0]]]]], dtypes="u8 i32", profiles=["pytorch"])
    pytorch("bytes-of-128-cells", "M1", "integers memory", "in channels-last order planes of 128 bytes are refused.",
            "max_pool", {"kernel": [1, 1], "stride": [64, 1], "memory": "channels_last"},
            [[[[k % 7 - 3] for k in range(128)], [[k % 5 - 2] for k in range(128)]]], dtypes="i8", profiles=["pytorch"])
    pytorch("integer-sum-wraps", "V1", "integers", "2^62 and 2^62 average to -2^62.", "avg_pool", {"kernel": [2]},
            [2**62, 2**62], dtypes="i64")
    pytorch("gradient-of-no-bins", "GVjp", "empty_output", "an empty answer has no backward.", "adaptive_max_pool",
            {"output_size": [0]}, [1, 2], cotangent=[], profiles=["pytorch"])

    def evaluator(name: str, clause: str, flags: str, note: str, op: str, attrs, x, **more) -> None:
        d.add(f"found-onnx-{name}", "found", clause, f"found {flags}", f"ONNX's evaluator, 1.22.0: {note}", op, attrs, x,
              **{"dtypes": FLOATS, **more})

    evaluator("global-rank-1", "A1", "ranks several_slices", "the maximum over the channels too.", "global_max_pool",
              {"spatial_rank": 1}, [[[1, 2], [3, 5]]])
    evaluator("global-rank-3", "A1", "ranks", "the first spatial axis is left out.", "global_max_pool", {"spatial_rank": 3},
              [[[[[1, 2]], [[4, 3]]]]])
    evaluator("end-pads-rank-1", "WOut", "asymmetric_padding", "pads are read in rank 2 alone.", "max_pool",
              {"kernel": [2], "stride": [1], "pad_begin": [0], "pad_end": [1]}, [[[1, 2, 3]]])
    evaluator("pads-of-rank-2", "WOut", "asymmetric_padding unequal_padding", "pads are taken for top, bottom, left, right.",
              "max_pool", {"kernel": [2, 2], "stride": [1, 1], "pad_begin": [0, 1], "pad_end": [0, 1]}, [[[[1, 1], [1, 1]]]])
    evaluator("same-rank-1", "WSame", "auto_pad auto_pad_odd", "refused in rank 1.", "max_pool",
              {"kernel": [2], "stride": [1], "auto_pad": "same_upper"}, [[[4, 8, 6, 2]]])
    for auto in ("same_upper", "valid"):
        evaluator(f"{auto.replace('_', '-')}-dilated", "WSame", "auto_pad dilation", "the dilation is forgotten in sizes and "
                  "pads.", "avg_pool", {"kernel": [3], "stride": [1], "dilation": [2], "auto_pad": auto},
                  [[[7, 1, 6, 2, 5, 3, 4]]])
