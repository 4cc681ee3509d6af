# SPDX-License-Identifier: Apache-2.0
"""What shortcuts for one order of memory, one bin or one register of cells get wrong."""

from __future__ import annotations

from drafts import Drafts

FLOATING = "f64 f32 f16 bf16"


def orders(d: Drafts) -> None:
    kept = "torchlean onnx pytorch".split()
    pairs = {"kernel": [2], "stride": [2]}
    square = {"kernel": [2, 2], "stride": [1, 1], "memory": "channels_last"}
    d.add("layout-strided", "memory", None, "memory several_slices",
          "A view with gaps is not read as if it had none.", "avg_pool",
          {**pairs, "memory": "strided"}, [[1.0, 3.0, 5.0, 9.0], [16.0, 20.0, 40.0, 50.0]],
          dtypes=FLOATING, profiles=kept)
    d.add("seven-channels-last-avg", "memory", None, "memory several_slices",
          "The channels that a vector of four leaves over.", "avg_pool",
          {**pairs, "memory": "channels_last"},
          [[[13.0, 1.0], [12.0, 8.0], [7.0, 11.0], [2.0, 10.0], [9.0, 4.0], [6.0, 5.0], [14.0, 3.0]]],
          dtypes=FLOATING, profiles=kept)
    d.add("layout-last-gradient", "memory", None, "memory overlap several_slices unequal_axes",
          "A gradient is where its cell is, whatever order the memory has.",
          "max_pool", square,
          [[[[6.0, 9.0, 4.0], [14.0, 17.0, 12.0]], [[10.0, 18.0, 11.0], [2.0, 13.0, 15.0]],
            [[3.0, 5.0, 16.0], [7.0, 1.0, 8.0]]]],
          cotangent=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], outs=[1, 3, 1, 2], dtypes=FLOATING, profiles=kept)
    d.add("layout-last-indices", "memory", "MIdx", "memory overlap return_indices several_slices unequal_axes",
          "Positions count cells of a plane, whatever order the memory has.",
          "max_pool", {**square, "return_indices": True},
          [[[[5.0, 10.0, 7.0], [6.0, 15.0, 17.0]], [[18.0, 2.0, 3.0], [16.0, 11.0, 4.0]],
            [[13.0, 8.0, 14.0], [1.0, 12.0, 9.0]]]], dtypes=FLOATING, profiles=kept)
    d.add("one-bin-index", "indices", "MIdx", "adaptive_even return_indices several_slices unequal_axes",
          "A single bin counts its cells row by row.", "adaptive_max_pool",
          {"output_size": [1, 1], "return_indices": True},
          [[[1.0, 2.0, 9.0], [3.0, 4.0, 5.0]], [[1.0, 2.0, 3.0], [9.0, 4.0, 5.0]]], dtypes=FLOATING, profiles=kept)
    d.add("empty-end", "empty", "WEmpty", "all_negative asymmetric_padding empty_window padding unit_kernel",
          "A window of padding alone, at the end.", "max_pool",
          {"kernel": [1], "stride": [1], "pad_begin": [0], "pad_end": [2]}, [-1.0, -2.0],
          dtypes=FLOATING, profiles=["torchlean"])
    d.add("global-nan-past-sixteen", "values", "MNan", "keepdims_omitted nan",
          "A NaN among more cells than a vector holds.",
          "global_max_pool", {"spatial_rank": 2},
          [[[8.0, 20.0, 2.0, 9.0, 14.0], [4.0, 25.0, 22.0, 13.0, 7.0], [17.0, 23.0, float("nan"), 5.0, 1.0],
            [19.0, 18.0, 21.0, 6.0, 11.0], [16.0, 24.0, 12.0, 10.0, 3.0]]], level="recommended", profiles=["pytorch"])
