# SPDX-License-Identifier: Apache-2.0
"""The killing inputs of wrong implementations that shipped, by kind (the list is described in docs/LIMITS.md)."""

from __future__ import annotations

from drafts import Drafts

FLOATS = "f64 f32 f16 bf16"
NAN, INF = float("nan"), float("inf")


def averages(d: Drafts) -> None:
    def average(name: str, clause: str, flags: str, note: str, attrs, x, **more) -> None:
        d.add(f"average-{name}", "divisor", clause, flags, note, "avg_pool", attrs, x, **more)

    average("ceil-overhang-clipped", "VPad", "ceil_overhang", "The last window hangs over: 5, where dividing by the whole "
            "kernel gives 2.5.", {"kernel": [2], "stride": [2], "ceil_mode": True}, [1, 2, 3, 4, 5],
            profiles=["pytorch", "onnx"], dtypes=FLOATS)
    average("ceil-overhang-whole", "VPad", "ceil_overhang", "The last window hangs over and is divided by the whole "
            "kernel: 2.5.", {"kernel": [2], "stride": [2], "ceil_mode": True}, [1, 2, 3, 4, 5], profiles=["torchlean"],
            dtypes=FLOATS)
    average("end-pad-clamp", "VPad", "asymmetric_padding", "Clamping the window's end with the begin pad gives [1,1].",
            {"kernel": [2], "stride": [1], "pad_begin": [0], "pad_end": [1]}, [1, 1], dtypes=FLOATS)
    average("padding-counts", "VPad", "padding", "Dividing by the number of real cells gives 15.",
            {"kernel": [3], "stride": [1], "pad_begin": [1]}, [10, 20], dtypes=FLOATS)
    average("padding-does-not-count", "VReal", "uncounted_padding", "Dividing by the padded window gives 10.",
            {"kernel": [3], "stride": [1], "pad_begin": [1], "count_include_pad": False}, [10, 20], dtypes=FLOATS)
    average("real-cells-dilated", "VReal", "dilated_padding uncounted_padding",
            "A count of real cells that ignores the dilation gives [2,.5,.67].",
            {"kernel": [3], "stride": [1], "pad_begin": [2], "dilation": [2], "count_include_pad": False}, [1, 1, 1],
            dtypes=FLOATS, profiles=["torchlean"])
    average("sum-by-override", "VOver", "divisor_override uncounted_padding",
            "A sum rebuilt as average times kernel volume gives 16 in the corner.",
            {"kernel": [2, 2], "stride": [1, 1], "pad_begin": [0, 0], "pad_end": [1, 1], "divisor_override": 1,
             "count_include_pad": False}, [[1, 2], [3, 4]], dtypes=FLOATS)
    average("override-negative", "VOver", "divisor_override", "A divisor of -3; some take its size.",
            {"kernel": [2], "divisor_override": -3}, [3, 6, -3, 9], dtypes=FLOATS)
    average("counting-omitted", "VPad", "counting_omitted", "count_include_pad is not given: padding counts.",
            {"kernel": [2, 2], "stride": [2, 2], "pad_begin": [1, 1]}, [[4, 8], [12, 16]], dtypes=FLOATS)
    average("accumulates-in-half", "V1", "accumulation", "4096 ones: a sum in half stops at 2048 and gives 0.5.",
            {"kernel": [4096]}, [1] * 4096, dtypes="f16")
    average("accumulates-in-bfloat", "V1", "accumulation", "512 ones: a sum in bfloat16 stops at 256 and gives 0.5.",
            {"kernel": [512]}, [1] * 512, dtypes="bf16 f16")
    for n in (3, 5, 7, 10, 31):
        average(f"constant-{n}", "V1", "ones", f"The average of {n} ones is 1; dividing first may round {n} times.",
                {"kernel": [n]}, [1] * n, dtypes=FLOATS)
    average("large-and-small", "V1", "wide_spread", "One addend is lost in any format's sum; the bound says how much.",
            {"kernel": [4]}, [2.0**12, 1, 1, 1], dtypes=FLOATS)
    average("integer-fours", "V1", "integers", "Four fives are 5; dividing each term first gives 4.", {"kernel": [4]},
            [5, 5, 5, 5], dtypes="i8 u8 i32 i64")
    average("integer-sum-wraps", "V1", "integers", "100 and 100: a sum in eight bits gives -28.", {"kernel": [2]},
            [100, 100], dtypes="i8 u8 i32 i64")
    average("integer-window-144", "V1", "integers", "A window of 144 cells: its size does not fit into a signed byte.",
            {"kernel": [12, 12]}, [[7] * 12] * 12, dtypes="i8 u8")
    for rule, sign in (("toward_zero", -1), ("floor", -1), ("half_even", 1), ("half_away", 1)):
        average(f"integer-mean-{rule.replace('_', '-')}", "V1", "integers integer_mean",
                "Means that are not whole: -7/4, 7/4, 5/2, -5/2, 3/2.", {"kernel": [4]},
                [-7, 0, 0, 0, 7, 0, 0, 0, 10, 0, 0, 0, -10, 0, 0, 0, 6, 0, 0, 0], dtypes="i8 i32 i64",
                policy={"integer_mean": rule})
    average("integer-mean-pytorch", "V1", "integers integer_mean", "-7/4 is -1; rounding down gives -2.", {"kernel": [4]},
            [-7, 0, 0, 0], dtypes="i8 i32 i64", profiles=["pytorch"], level="recommended")


def sizes(d: Drafts) -> None:
    def size(name: str, clause: str, flags: str, note: str, attrs, x, op: str = "max_pool", **more) -> None:
        d.add(f"size-{name}", "size", clause, flags, note, op, attrs, x, **{"dtypes": FLOATS, **more})

    for op in ("max_pool", "avg_pool"):
        n = op[:3]
        size(f"{n}-ceil-drops", "WCeil", "ceil_window_dropped", "A last window that begins past the input is dropped: 3 "
             "outputs, not 4.", {"kernel": [1], "stride": [2], "ceil_mode": True}, [1, 2, 3, 4, 5, 6], op)
        size(f"{n}-ceil-drops-padded", "WCeil", "ceil_window_dropped", "A last window that begins in the end padding is "
             "dropped.", {"kernel": [2], "stride": [2], "pad_begin": [1], "ceil_mode": True}, [1, 2, 3], op)
        size(f"{n}-ceil-rounds-up", "WCeil", "ceil_overhang", "Seven cells by three: 3 outputs.",
             {"kernel": [2], "stride": [3], "ceil_mode": True}, [1, 2, 3, 4, 5, 6, 7], op)
        size(f"{n}-ceil-exact", "WCeil", "ceil_exact", "Nothing hangs over: rounding up changes nothing.",
             {"kernel": [2], "stride": [2], "ceil_mode": True}, [1, 2, 3, 4], op)
        size(f"{n}-floor", "WOut", "floor_remainder", "Five cells by two: 2 outputs; the last cell is dropped.",
             {"kernel": [2], "stride": [2]}, [1, 2, 3, 4, 5], op)
        size(f"{n}-dilation", "W1", "dilation", "Taps two apart.", {"kernel": [2], "stride": [1], "dilation": [2]},
             [1, 9, 2, 8, 3], op)
        size(f"{n}-axes-swapped", "W1", "unequal_kernel unequal_stride", "Kernel (2,3), stride (1,2) on 3 by 5.",
             {"kernel": [2, 3], "stride": [1, 2]}, [[1, 7, 3, 9, 5], [6, 2, 8, 4, 0], [11, 13, 10, 14, 12]], op)
        size(f"{n}-pads-of-axes", "W1", "unequal_padding", "Padding (0,1) on 3 by 4.",
             {"kernel": [2, 3], "stride": [1, 2], "pad_begin": [0, 1]}, [[1, 7, 3, 9], [6, 2, 8, 4], [11, 13, 10, 14]], op)
        size(f"{n}-pads-interleaved", "WOut", "asymmetric_padding unequal_padding", "Begins [0,1], ends [0,1]: a list read "
             "in pairs pads otherwise.", {"kernel": [2, 2], "stride": [1, 1], "pad_begin": [0, 1], "pad_end": [0, 1]},
             [[1, 1], [1, 1]], op)
        size(f"{n}-pads-begins-ends", "WOut", "asymmetric_padding unequal_padding", "Begins [0,1], ends [1,0].",
             {"kernel": [2, 2], "stride": [1, 1], "pad_begin": [0, 1], "pad_end": [1, 0]}, [[1, 2], [3, 4]], op)
        size(f"{n}-end-pads", "WOut", "asymmetric_padding", "Begin pad 0, end pad 1.",
             {"kernel": [2], "stride": [1], "pad_begin": [0], "pad_end": [1]}, [1, 2, 3], op)
        size(f"{n}-end-pads-omitted", "WOut", "end_padding_omitted", "Absent end pads are the begin pads.",
             {"kernel": [2], "stride": [1], "pad_begin": [1]}, [1, 2, 3], op)
        size(f"{n}-stride-omitted", "WOut", "stride_omitted", "The stride is the kernel where it is not given: 2 outputs, "
             "not 4.", {"kernel": [2]}, [1, 2, 3, 4, 5], op)
        size(f"{n}-ceil-omitted", "WOut", "floor_remainder", "Sizes round down where ceil_mode is not given.",
             {"kernel": [2]}, [5, 1, 4, 2, 9], op)
        for auto in ("same_upper", "same_lower", "valid"):
            slug = auto.replace("_", "-")
            size(f"{n}-{slug}-odd", "WSame", "auto_pad auto_pad_odd", "Two cells by three, stride 2: one odd pad.",
                 {"kernel": [3] if auto != "valid" else [2], "stride": [2], "auto_pad": auto}, [3, 5], op)
            size(f"{n}-{slug}-four", "WSame", "auto_pad auto_pad_odd", "Four cells by two, stride 1: one odd pad.",
                 {"kernel": [2], "stride": [1], "auto_pad": auto}, [4, 8, 6, 2], op)
            size(f"{n}-{slug}-dilated", "WSame", "auto_pad dilation", "Seven cells, kernel 3, dilation 2: two pads on each "
                 "side.", {"kernel": [3], "stride": [1], "dilation": [2], "auto_pad": auto}, [7, 1, 6, 2, 5, 3, 4], op)
        size(f"{n}-keeps-last-window", "WCeil", "ceil_overhang empty_window", "Under `keep` the window in the end padding "
             "stays.", {"kernel": [1], "stride": [2], "ceil_mode": True}, [1, 2, 3, 4, 5, 6], op,
             policy={"ceil_rule": "keep", "empty_window": "zero"})
        size(f"{n}-one-window", "WOver", "oversized_kernel", "A kernel wider than the input leaves one window.",
             {"kernel": [5]}, [3, 8, 5], op, profiles=["torchlean"], level="informative")
        size(f"{n}-ceil-leaves-one", "WOver", "oversized_kernel ceil_overhang", "Rounding up leaves one window of a kernel "
             "that is too wide.", {"kernel": [4], "stride": [4], "ceil_mode": True}, [3, 8, 5], op, profiles=["pytorch"])
    size("dilation-largest", "W1", "dilation format_limits", "A dilation of 2^31-1: d*(k-1)+1 overflows 32 bits.",
         {"kernel": [2], "stride": [1], "pad_begin": [2147483647], "pad_end": [0], "dilation": [2147483647]}, [5, 3, 9],
         profiles=["torchlean"])
    size("padding-limit-undilated", "WPad", "dilated_padding", "Padding 1 of a kernel of 3, dilation 2: allowed.",
         {"kernel": [3], "stride": [1], "pad_begin": [1], "dilation": [2]}, [1, 2, 3, 4, 5])


def maxima(d: Drafts) -> None:
    def maximum(name: str, clause: str, flags: str, note: str, x, attrs=None, op: str = "max_pool", **more) -> None:
        d.add(f"maximum-{name}", "values", clause, flags, note, op, attrs or {"kernel": [3]}, x,
              **{"dtypes": FLOATS, **more})

    maximum("all-negative", "M1", "all_negative", "A seed of 0, or of the smallest positive number, wins.", [-1, -2, -3])
    maximum("far-negative", "M1", "all_negative", "Below -9999.", [-20000, -30000, -10240], dtypes="f64 f32 f16 i32 i64")
    maximum("below-minus-128", "M1", "all_negative", "Below -128.", [-200, -192, -256])
    maximum("all-lowest", "M1", "all_negative format_edge", "Nothing but the lowest finite number of binary16.",
            [-65504, -65504, -65504], dtypes="f64 f32 f16")
    maximum("integers-negative", "M1", "all_negative integers", "Minus infinity cast to an integer is 0 in some languages.",
            [-12, -11, -10, -9, -8, -7], dtypes="i8 i32 i64")
    for dtype, low, high in (("i8", -128, 127), ("i32", -2**31, 2**31 - 1), ("i64", -2**63, 2**63 - 1), ("u8", 0, 255)):
        maximum(f"edges-{dtype}", "M1", "integers format_edge", "The type's least and greatest value.",
                [low, low, low, high, low, high - 1], dtypes=dtype)
    maximum("i64-beyond-f64", "M1", "integers", "Two values that are one in binary64.", [2**53, 2**53 + 1, 2**53 - 1],
            dtypes="i64")
    maximum("padding-is-nothing", "MPad", "all_negative padding", "Padding taken for 0 gives 0 at the ends.", [-1, -2, -3],
            {"kernel": [3], "stride": [1], "pad_begin": [1]})
    maximum("padding-is-zero", "MPad", "padding", "Under `max_padding: zero` it does.", [-1, -2, -3],
            {"kernel": [3], "stride": [1], "pad_begin": [1]}, policy={"max_padding": "zero"})
    for where, x in (("first", [NAN, 1, 5]), ("middle", [1, NAN, 5]), ("last", [1, 5, NAN])):
        maximum(f"nan-{where}-propagates", "MNan", "nan", "A NaN is the maximum, wherever it stands.", x,
                profiles=["pytorch"])
        maximum(f"nan-{where}-ignored", "MNan", "nan", "NaNs are passed over.", x, policy={"nan": "ignore"})
        maximum(f"nan-{where}-index", "MIdx", "nan return_indices", "The index is that of the NaN.", x,
                {"kernel": [3], "return_indices": True}, profiles=["pytorch"])
    maximum("minus-infinity-alone", "Inf", "infinity", "Nothing but minus infinity: nothing beats the seed.",
            [-INF, -INF, -INF])
    maximum("minus-infinity-index", "MIdx", "infinity return_indices", "The index of minus infinity is a cell's, not -1.",
            [-INF, -INF, -INF], {"kernel": [3], "return_indices": True})
    maximum("infinity-wins", "Inf", "infinity", "Infinities are values.", [1, INF, 2, -INF, 0, -1])
    maximum("ties-index", "MIdx", "return_indices ties", "The first of two equal cells.", [3, 3, 1],
            {"kernel": [3], "return_indices": True})
    maximum("ties-index-last", "MIdx", "return_indices ties", "The last of two equal cells.", [3, 3, 1],
            {"kernel": [3], "return_indices": True}, policy={"ties": "last"})
    for a, b, which in ((0.0, -0.0, "plus-first"), (-0.0, 0.0, "minus-first")):
        for rule in ("either", "first", "positive"):
            maximum(f"zeros-{which}-{rule}", "MZero", "signed_zeros", f"Two zeros under `signed_zero: {rule}`.",
                    [a, b, -1], policy={"signed_zero": rule})
    maximum("minus-zeros", "MZero", "signed_zeros", "Only minus zeros: their sign stays.", [-0.0, -0.0, -1])
    maximum("zeros-first-tiny", "MZero", "signed_zeros", "tiny_pool keeps the first zero's sign.", [[[-0.0, 0.0, -1]]],
            profiles=["tiny_pool"], dtypes="f32")
    maximum("near-ties", "M1", "near_ties", "Neighbours in binary32.", [1.0, 1 + 2.0**-23, 1 - 2.0**-24],
            dtypes="f64 f32")
    maximum("near-ties-f64", "M1", "near_ties", "Neighbours in binary64, one number in binary32.",
            [1.0, 1 + 2.0**-52, 1 - 2.0**-53], dtypes="f64")
    maximum("subnormal", "M1", "subnormal", "The smallest numbers of binary16.", [2.0**-24, 0.0, -(2.0**-24)],
            dtypes="f64 f32 f16")
    maximum("subnormal-f32", "M1", "subnormal", "The smallest numbers of binary32.", [2.0**-149, 0.0, -(2.0**-149)],
            dtypes="f64 f32", profiles=["torchlean", "pytorch"])


def indices(d: Drafts) -> None:
    def index(name: str, note: str, attrs, x, flags: str = "return_indices", op: str = "max_pool", **more) -> None:
        d.add(f"index-{name}", "indices", "MIdx", flags, note, op, {**attrs, "return_indices": True}, x,
              **{"dtypes": FLOATS, **more})

    index("of-the-plane", "Counted within the window it would be 1.", {"kernel": [2]}, [1, 2, 3, 9])
    index("row-major", "Counted down the columns it would be 2 and 9.", {"kernel": [2, 2]},
          [[1, 2, 5, 4, 0, 3], [9, 8, 7, 6, 10, 11]])
    index("padding-not-counted", "Counted in the padded input it would be one more in each row.",
          {"kernel": [3, 3], "stride": [1, 1], "pad_begin": [1, 1]}, [[1, 2], [4, 3]], "padding return_indices")
    index("each-slice", "Each channel counts from 0.", {"kernel": [2]}, [[1, 2], [4, 3], [5, 6]],
          "return_indices several_slices")
    index("past-256", "Winner 299: eight bits give 43.", {"kernel": [300]}, [0] * 299 + [1], "return_indices window_past_256",
          dtypes="i8")
    index("unbatched", "No leading axis: the index has none either.", {"kernel": [2]}, [3, 7, 9, 1])
    index("adaptive", "Uneven bins.", {"output_size": [3]}, [5, 9, 9, 2, 7], "adaptive_uneven return_indices ties",
          "adaptive_max_pool")
    index("global", "Of the whole plane.", {"spatial_rank": 2}, [[[1, 5], [5, 2]], [[0, 0], [0, 1]]], op="global_max_pool")
    index("strided-memory", "A backend told to hold its input transposed still counts rows.",
          {"kernel": [2, 3], "memory": "strided"}, [[1, 2, 3], [4, 6, 5]], "memory return_indices")
    index("rank-3", "Of a block.", {"kernel": [2, 2, 2]}, [[[1, 2], [3, 4]], [[5, 6], [8, 7]]])
    index("tiny-flat", "tiny_pool's mask in one dimension.", {"kernel": [2]}, [[[1, 4, 9, 3]]], profiles=["tiny_pool"],
          dtypes="f32")
    index("tiny-row-column", "tiny_pool's mask in two dimensions: row and column in pairs.",
          {"kernel": [2, 2], "index_form": "row_column"}, [[[[1, 4, 9, 3], [7, 2, 8, 5]]]], "return_indices row_column",
          profiles=["tiny_pool"], dtypes="f32")
    index("tiny-row-column-tie", "The first of the ties.", {"kernel": [2, 2], "index_form": "row_column"},
          [[[[4, 4], [4, 4]]]], "return_indices row_column ties", profiles=["tiny_pool"], dtypes="f32")


def gradients(d: Drafts) -> None:
    def gradient(name: str, clause: str, flags: str, note: str, attrs, x, dy, op: str = "max_pool", **more) -> None:
        d.add(f"gradient-{name}", "gradients", clause, flags, note, op, attrs, x, cotangent=dy,
              **{"dtypes": FLOATS, **more})

    two, one = {"kernel": [2], "stride": [1]}, {"kernel": [2]}
    gradient("overlap-adds", "MTie", "overlap", "Two windows share a winner: 2; assigning gives 1.", two, [1, 5, 2], [1, 1])
    gradient("overlap-no-share", "MTie", "overlap", "All winners differ: an overwriting implementation passes this.", two,
             [5, 3, 1, 2, 5], [1, 2, 3, 4], level="informative")
    for ties in ("first", "last", "all", "split"):
        gradient(f"ties-{ties}", "MTie", "overlap ties", f"Three equal cells under `ties: {ties}`.", two, [3, 3, 3], [1, 1],
                 policy={"ties": ties})
        gradient(f"ties-{ties}-sides", "MTie", "ties", f"Ties beside a smaller cell under `ties: {ties}`.", {"kernel": [4]},
                 [1, 3, 2, 3], [6], policy={"ties": ties})
        gradient(f"ties-{ties}-padding", "MPad", "padding ties", f"Padding ties with a zero under `ties: {ties}`.",
                 {"kernel": [3], "stride": [1], "pad_begin": [1]}, [0, -1, 0], [1, 2, 4],
                 policy={"ties": ties, "max_padding": "zero"})
    gradient("ties-default", "MTie", "overlap ties", "The first of the ties takes everything.", two, [3, 3, 3], [1, 2])
    gradient("zeros-tie", "MTie", "signed_zeros ties", "+0 and -0 tie.", one, [-0.0, 0.0, 0.0, -0.0], [1, 2])
    gradient("global-all", "MTie", "ties", "A global maximum gives each tied cell everything.", {"spatial_rank": 1},
             [2, 5, 5], [3], "global_max_pool", profiles=["torchlean"])
    gradient("global-split", "MTie", "ties", "The distributed form splits it.", {"spatial_rank": 2}, [[2, 5], [5, 5]],
             [[3]], "global_max_pool", policy={"ties": "split"})
    gradient("average-overlap", "VDiv", "overlap", "Each cell's share of every window that sees it.",
             {"kernel": [3], "stride": [1]}, [1, 2, 3, 4, 5], [3, 6, 9], "avg_pool")
    gradient("average-padded", "VPad", "padding", "Padding takes its share with it.",
             {"kernel": [3], "stride": [1], "pad_begin": [1]}, [1, 2], [3, 6], "avg_pool")
    gradient("average-uncounted", "VReal", "uncounted_padding", "Only real cells divide.",
             {"kernel": [3], "stride": [1], "pad_begin": [1], "count_include_pad": False}, [1, 2], [4, 8], "avg_pool")
    gradient("average-override", "VOver", "divisor_override", "The divisor is given.", {"kernel": [2], "divisor_override": 4},
             [1, 2, 3, 4], [4, 8], "avg_pool")
    gradient("average-adaptive", "A2", "adaptive_uneven overlap", "Overlapping bins add.", {"output_size": [3]},
             [1, 2, 3, 4, 5], [6, 12, 24], "adaptive_avg_pool")
    gradient("maximum-adaptive", "A2", "adaptive_uneven overlap", "Two bins share the winner.", {"output_size": [3]},
             [1, 9, 3, 8, 5], [1, 2, 4], "adaptive_max_pool")
    gradient("average-global", "V1", "ones", "Shares of 1 over the plane's size.", {"spatial_rank": 2, "keepdims": False},
             [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [4, 8], "global_avg_pool")
    gradient("ones", "MTie", "overlap ones", "The gradient of a sum: a cotangent of ones.",
             {"kernel": [2, 2], "stride": [1, 1]}, [[1, 2, 3], [8, 9, 4], [7, 6, 5]], [[1, 1], [1, 1]])
    gradient("transposed-input", "MTie", "memory overlap", "The same with an input held transposed.",
             {"kernel": [2, 2], "stride": [1, 1], "memory": "strided"}, [[1, 2, 3], [8, 9, 4]], [[1, 2]])
    gradient("unseen-cells", "WOut", "floor_remainder gap", "Cells that no window sees get 0.",
             {"kernel": [1], "stride": [3]}, [1, 2, 3, 4, 5], [7, 8])
    for dtype, n in (("f16", 2048), ("bf16", 256)):
        gradient(f"accumulates-{dtype}", "VDiv", "overlap wide_direction", "Three gradients add up in one cell; the bound "
                 "of the format's own sum is allowed.", {"kernel": [3], "stride": [1], "divisor_override": 1},
                 [0, 0, 0, 0, 0], [n, 1, 1], "avg_pool", dtypes=dtype)

    def tangent(name: str, clause: str, flags: str, note: str, attrs, x, t, op: str = "max_pool", **more) -> None:
        d.add(f"tangent-{name}", "tangents", clause, flags, note, op, attrs, x, tangent=t, **{"dtypes": FLOATS, **more})

    for ties in ("first", "last", "all", "split"):
        tangent(f"ties-{ties}", "MTie", "ties", f"Tied tangents under `ties: {ties}`.", {"kernel": [3]}, [3, 1, 3], [1, 2, 4],
                policy={"ties": ties})
    tangent("winner", "MTie", "overlap", "The winner's tangent, not the greatest one.", two, [1, 5, 2], [9, -1, 4])
    tangent("winner-zero", "MTie", "signed_zeros", "A winner of 0 has a tangent too.", one, [0, -1, -2, 0], [3, 1, 1, -5])
    tangent("average", "V1", "overlap", "The average of the tangents.", {"kernel": [2], "stride": [1]}, [1, 2, 3],
            [4, 8, -16], "avg_pool")
    tangent("average-override", "VOver", "divisor_override", "Over the given divisor.", {"kernel": [2], "divisor_override": 8},
            [1, 2], [4, 12], "avg_pool")
    tangent("average-padded", "VPad", "padding", "Over the span.", {"kernel": [2], "stride": [2], "pad_begin": [1]}, [1, 2],
            [4, 8], "avg_pool")
    tangent("adaptive", "A1", "adaptive_uneven", "Over each bin.", {"output_size": [3]}, [1, 2, 3, 4, 5], [2, 4, 6, 8, 10],
            "adaptive_avg_pool")
    tangent("global", "MTie", "ties", "The sum of the tied tangents.", {"spatial_rank": 1}, [5, 5, 1], [1, 2, 4],
            "global_max_pool", profiles=["torchlean"])
    tangent("wide", "V1", "wide_direction", "A tangent that cancels.", {"kernel": [4]}, [1, 2, 3, 4],
            [2.0**10, 1, -(2.0**10), 1], "avg_pool")


def bins(d: Drafts) -> None:
    def adaptive(name: str, note: str, n: int, m: int, x=None, op: str = "max", **more) -> None:
        cells = x if x is not None else [(7 * k + 3) % (2 * n + 1) for k in range(n)]
        d.add(f"bins-{op}-{name}", "bins", "A2", "adaptive_more_bins" if m > n else
              "adaptive_even" if n % m == 0 else "adaptive_uneven", note, f"adaptive_{op}_pool", {"output_size": [m]}, cells,
              **{"dtypes": FLOATS, **more})

    for op in ("max", "avg"):
        for n, m in ((5, 3), (10, 3), (6, 3), (7, 3), (7, 5), (5, 7), (3, 7), (7, 13), (1, 3), (11, 4), (8, 5), (9, 1), (3, 21), (4, 28),
                     (26, 22)):  # the last two: a ratio in binary32 ends and begins wrongly
            adaptive(f"{n}-to-{m}", f"{n} cells in {m} bins.", n, m, op=op)
    adaptive("5877-to-2855", "i*L formed in binary32 ends past the input.", 5877, 2855,
             [(k * 37) % 101 for k in range(5876)] + [127], dtypes="i8")
    for op in ("max", "avg"):
        d.add(f"bins-{op}-plane", "bins", "A1", "adaptive_uneven unequal_axes", "3 by 5 into 2 by 3.", f"adaptive_{op}_pool",
              {"output_size": [2, 3]}, [[1, 12, 3, 14, 5], [6, 7, 18, 9, 10], [2, 4, 8, 16, 32]], dtypes=FLOATS)
        d.add(f"bins-{op}-channels", "bins", "A1", "adaptive_uneven several_slices", "Two channels.", f"adaptive_{op}_pool",
              {"output_size": [2]}, [[1, 2, 3], [30, 20, 10]], dtypes=FLOATS)
        d.add(f"bins-{op}-none", "bins", "A1", "empty_output", "No bins: an empty answer.", f"adaptive_{op}_pool",
              {"output_size": [0]}, [1, 2, 3], dtypes=FLOATS, profiles=["pytorch"])
        for keep in (True, False):
            d.add(f"bins-{op}-global-{'kept' if keep else 'flat'}", "values", "A1", "keepdims several_slices",
                  "One bin per axis.", f"global_{op}_pool", {"spatial_rank": 2, "keepdims": keep},
                  [[[1, 2, 3], [4, 5, 6]], [[-1, -2, -3], [-4, -5, -6]]], dtypes=FLOATS)
        d.add(f"bins-{op}-global-omitted", "values", "A1", "keepdims_omitted", "keepdims is not given: the axes stay.",
              f"global_{op}_pool", {"spatial_rank": 1}, [[1, 2], [3, 5]], dtypes=FLOATS)
        for rank in (1, 3, 4):
            d.add(f"bins-{op}-global-rank-{rank}", "values", "A1", "ranks", f"All {rank} spatial axes, not the last two.",
                  f"global_{op}_pool", {"spatial_rank": rank}, [[k + 1 for k in range(2**rank)]],
                  sizes=[1] + [2] * rank, dtypes=FLOATS)
