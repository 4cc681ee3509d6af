# SPDX-License-Identifier: Apache-2.0
"""Vectors for the clauses that no shipped fault stands for: smooth maxima, special values, empty windows, graphs,
rejections, ranks and lengths."""

from __future__ import annotations

import math

from drafts import Drafts
from shipped import FLOATS, INF, NAN


def smooth(d: Drafts) -> None:
    def soft(name: str, clause: str, flags: str, note: str, beta, x, attrs=None, **more) -> None:
        d.add(f"smooth-{name}", "smooth", clause, flags, note, "smooth_max_pool",
              {**(attrs or {"kernel": [len(x)]}), "beta": beta}, x, **{"dtypes": FLOATS, **more})

    for sign, word in ((1, ""), (-1, "negative-")):
        for k in (-1000, -100, -40, -24, *range(-14, 16, 2), 15, 20, 30, 40, 50, 80, 120, 126, 300, 1000, 1022):
            beta = (sign * 2.0**k).hex()
            x = [1.0, 1.5, 0.25]
            ladder = f"ladder-{word}2-to-{'minus-' if k < 0 else ''}{abs(k)}"
            soft(ladder, "S1", "beta_ladder", f"beta = {'-' if sign < 0 else ''}2^{k}: between the mean plus log(n)/beta and "
                 f"the {'maximum' if sign > 0 else 'minimum'}.", beta, x)
            if k % 4 == 0 and k <= 8:  # above, the losers' weights are less than any number
                d.add(f"smooth-{ladder}-weights", "gradients", "SJvp", "beta_ladder softmax", "From the mean's weights to the "
                      "winner's.", "smooth_max_pool", {"kernel": [3], "beta": beta}, x, cotangent=[1.0], dtypes=FLOATS)
            if k % 4 == 0:
                d.add(f"smooth-{ladder}-push", "tangents", "SJvp", "beta_ladder softmax", "The tangent under these weights.",
                      "smooth_max_pool", {"kernel": [3], "beta": beta}, x, tangent=[2.0, -1.0, 4.0], dtypes=FLOATS)
        for dtype, x in (("f32", 89.0), ("f16", 12.0), ("f64", 710.0), ("bf16", 89.0)):
            soft(f"overflow-{word}{dtype}", "S1", "no_shift", f"exp({x:g}) overflows {dtype}.", (sign * 1.0).hex(),
                 [sign * x, 0.0], dtypes=dtype)
        soft(f"underflow-{word}f32", "S1", "no_shift", "exp(-104) is 0 in binary32; its log is not to be taken.",
             (sign * 1.0).hex(), [-104.0 * sign, -104.0 * sign], dtypes="f64 f32 f16 bf16")
        soft(f"equal-{word}cells", "S1", "ties", "Equal cells: x + log(n)/beta.", (sign * 2.0).hex(), [3.0, 3.0, 3.0])
        soft(f"single-{word}cell", "S1", "unit_kernel", "One cell is itself, exactly.", (sign * 0.75).hex(), [1.25, -3.5],
             {"kernel": [1]})
        soft(f"padded-{word}window", "SPad", "padding", "Padding counts as exp(0).", (sign * 1.0).hex(), [-2.0, -3.0],
             {"kernel": [3], "stride": [1], "pad_begin": [1]})
        soft(f"padding-{word}alone", "SPad", "empty_window padding", "Nothing but padding: log(n)/beta.",
             (sign * 2.0).hex(), [1.0], {"kernel": [2], "stride": [1], "pad_begin": [3]}, profiles=["torchlean"])
        soft(f"padding-{word}ignored", "SPad", "padding", "Padding adds nothing under `ignored`.", (sign * 1.0).hex(),
             [-2.0, -3.0], {"kernel": [3], "stride": [1], "pad_begin": [1]}, policy={"smooth_padding": "ignored"})
        for what, x in (("inf", [INF, 1.0]), ("minus-inf", [-INF, 1.0]), ("both", [INF, -INF]), ("all-minus", [-INF, -INF]),
                        ("all-plus", [INF, INF])):
            soft(f"infinity-{word}{what}", "Inf", "infinity", "On the extended reals.", (sign * 1.0).hex(), x)
        soft(f"nan-{word}beta", "Nan", "nan", "Any NaN gives NaN.", (sign * 1.0).hex(), [NAN, 1.0, INF])
        attrs = {"kernel": [3], "beta": (sign * 1.0).hex()}
        d.add(f"smooth-{word}weights", "gradients", "SJvp", "softmax", "The gradient is the softmax.", "smooth_max_pool", attrs,
              [1.0, 2.0, 0.5], cotangent=[1.0], dtypes=FLOATS)
        d.add(f"smooth-{word}push", "tangents", "SJvp", "softmax", "The tangent under the softmax.", "smooth_max_pool", attrs,
              [1.0, 2.0, 0.5], tangent=[1.0, -2.0, 4.0], dtypes=FLOATS)
        d.add(f"smooth-{word}weights-shift", "gradients", "SJvp", "no_shift softmax", "Weights of large values need a shift.",
              "smooth_max_pool", attrs, [1000.0, 1001.0, 999.0], cotangent=[1.0], dtypes="f64 f32 f16")
        d.add(f"smooth-{word}weights-padded", "gradients", "SPad", "padding softmax", "Padding has its weight.",
              "smooth_max_pool", {**attrs, "stride": [1], "pad_begin": [1]}, [1.0, -2.0], cotangent=[1.0, 2.0],
              dtypes=FLOATS)
        d.add(f"smooth-{word}weights-overlap", "gradients", "SJvp", "overlap softmax", "Overlapping windows add.",
              "smooth_max_pool", {"kernel": [2], "stride": [1], "beta": (sign * 2.0).hex()}, [1.0, 0.5, 0.25],
              cotangent=[1.0, -1.0], dtypes=FLOATS)


def rounding(d: Drafts) -> None:
    """Halfway between two numbers of a format, and next to that."""
    for dtype, digits in (("f64", 52), ("f32", 23), ("f16", 10), ("bf16", 7)):
        u = 2.0**-digits
        for what, x in (("even", [1.0, 1 + u]), ("odd", [1 + u, 1 + 2 * u]), ("below", [1.0, 1 + u, 1.0, 1 + u, 1.0]),
                        ("negative", [-1.0, -1 - u]), ("thirds", [1.0, 1 + u, 1 + u])):
            for rule in ("exact", "any"):
                d.add(f"rounding-{dtype}-{what}-{rule}", "rounding", "V1", "accumulation near_ties", f"Means next to half a step "
                      f"of {dtype}, under `accumulate: {rule}`.", "avg_pool", {"kernel": [len(x)]}, x, dtypes=dtype,
                      policy={"accumulate": rule})
        d.add(f"rounding-{dtype}-exact-vjp", "rounding", "VDiv", "accumulation overlap", "A gradient that is halfway.",
              "avg_pool", {"kernel": [2], "stride": [1]}, [0.0, 0.0, 0.0], cotangent=[1.0, 1 + u], dtypes=dtype,
              policy={"accumulate_gradient": "exact"})


def special(d: Drafts) -> None:
    def average(name: str, clause: str, flags: str, note: str, x, attrs=None, **more) -> None:
        d.add(f"special-{name}", "special", clause, flags, note, "avg_pool", attrs or {"kernel": [2]}, x,
              **{"dtypes": FLOATS, **more})

    average("average-nan", "Nan", "nan", "A NaN poisons its window alone.", [NAN, 1, 2, 3])
    average("average-infinity", "Inf", "infinity", "An infinity wins.", [INF, 1, -INF, 3])
    average("average-both-infinities", "Inf", "infinity", "+inf and -inf give NaN.", [INF, -INF, 1, 2])
    average("average-negative-divisor", "Inf", "divisor_override infinity", "A negative divisor turns an infinity around.",
            [INF, 1], {"kernel": [2], "divisor_override": -2})
    average("average-cancels", "Zero", "cancellation", "A zero of either sign.", [5, -5, 0.0, -0.0])
    average("average-minus-zeros", "Zero", "signed_zeros", "A zero of either sign.", [-0.0, -0.0])
    for dtype, top in (("f16", 65504.0), ("bf16", float.fromhex("0x1.fep+127")), ("f32", float.fromhex("0x1.fffffep+127")),
                       ("f64", float.fromhex("0x1.fffffffffffffp+1023"))):
        average(f"average-greatest-{dtype}", "V1", "format_edge", "Two of the greatest numbers: their sum overflows the "
                "format.", [top, top], dtypes=dtype)
        if dtype != "f64":
            average(f"average-overflow-forbidden-{dtype}", "V1", "format_edge", "Under `intermediate_overflow: forbidden` "
                    "infinity is no answer.", [top, top], dtypes=dtype, policy={"intermediate_overflow": "forbidden"})
    for dtype, least in (("f16", 2.0**-24), ("f32", 2.0**-149), ("bf16", 2.0**-133), ("f64", 2.0**-1074)):
        if dtype in ("f16", "bf16"):  # where the sum is formed in binary32, and a bound says something
            average(f"average-least-{dtype}", "V1", "subnormal", "Half of the smallest number rounds to 0 or stays.",
                    [least, 0.0, least, least], dtypes=dtype)
        d.add(f"special-maximum-least-{dtype}", "special", "M1", "subnormal", "The smallest number beats 0.", "max_pool",
              {"kernel": [2]}, [0.0, least, -least, -2 * least], dtypes=dtype)
    for op in ("max_pool", "avg_pool"):
        n = op[:3]
        d.add(f"special-{n}-vjp-nan", "special", "DOpen", "nan", "Open where the window holds a NaN; the other window is "
              "judged.", op, {"kernel": [2]}, [NAN, 1, 2, 3], cotangent=[1, 1], dtypes=FLOATS)
        d.add(f"special-{n}-jvp-infinity", "special", "DOpen", "infinity", "Open where the tangent is infinite.", op,
              {"kernel": [2]}, [0, 1, 2, 3], tangent=[INF, 1, 1, 2], dtypes=FLOATS)


def empty(d: Drafts) -> None:
    attrs = {"kernel": [2], "stride": [2], "pad_begin": [2], "pad_end": [0]}
    for rule in ("zero", "identity", "lowest", "nan"):
        for op in ("max_pool", "avg_pool", "smooth_max_pool"):
            more = {"count_include_pad": False} if op == "avg_pool" else {"beta": 1} if op == "smooth_max_pool" else {}
            if op == "avg_pool" and rule == "lowest":
                continue
            d.add(f"empty-{op[:3]}-{rule}", "empty", "WEmpty", "empty_window padding", f"A window of padding alone under "
                  f"`empty_window: {rule}`.", op, {**attrs, **more}, [-4, -2],
                  policy={"empty_window": rule, "padding_limit": "none", "oversized_kernel": "one_window",
                          **({"smooth_padding": "ignored"} if op == "smooth_max_pool" else {})},
                  dtypes="f64" if rule == "lowest" else FLOATS)
        for mode in ("tangent", "cotangent"):
            d.add(f"empty-max-{mode}-{rule}", "empty", "DEmpty", "empty_window padding", "An empty window has no derivative.",
                  "max_pool", attrs, [-4, -2], **{mode: [3, 5]},
                  policy={"empty_window": rule, "padding_limit": "none", "oversized_kernel": "one_window"}, dtypes=FLOATS)
    d.add("empty-rejected", "empty", "WEmpty", "empty_window padding", "Under `reject` the case is refused.", "max_pool",
          attrs, [-4, -2], policy={"empty_window": "reject", "padding_limit": "none"}, rejected=True, dtypes=FLOATS)
    d.add("empty-torchlean", "empty", "WEmpty", "empty_window padding", "The documents' total functions give 0.", "max_pool",
          attrs, [-4, -2], profiles=["torchlean"], dtypes=FLOATS, level="informative")
    for op in ("max_pool", "avg_pool"):
        d.add(f"empty-batch-{op[:3]}", "empty", "WOut", "empty_batch", "No slices: an empty answer of the right shape.", op,
              {"kernel": [2]}, [], sizes=[0, 2, 4], dtypes=FLOATS)


def graphs(d: Drafts) -> None:
    def graph(name: str, clause: str, flags: str, note: str, nodes, x, **more) -> None:
        d.add(f"graph-{name}", "graphs", clause, flags, note, "graph", {"nodes": nodes}, x, **{"dtypes": FLOATS, **more})

    def node(op: str, source: int = -1, **attrs):
        return {"op": op, "attrs": attrs, "input": source}

    def add(a: int, b: int):
        return {"op": "add", "inputs": [a, b]}

    top = node("max_pool", kernel=[2], stride=[1])
    mean = node("avg_pool", kernel=[2], stride=[1])
    soft = node("smooth_max_pool", kernel=[2], stride=[1], beta=1)
    x, t = [[1.0, 5.0, 2.0, 4.0]], [[1.0, 2.0, -3.0, 4.0]]
    shapes = {
        "sum": ([top, mean, add(0, 1)], "Two ops of one input, added.", [[1.0, 2.0, 4.0]], "graph_add"),
        "reuse": ([top, add(0, 0)], "A node used twice.", [[1.0, 2.0, 4.0]], "graph_add graph_reuse"),
        "chain": ([top, {**mean, "input": 0}], "A chain.", [[1.0, 2.0]], "graph_chain"),
        "unused": ([mean, top], "A node that nobody uses sends no gradient.", [[1.0, 2.0, 4.0]], "graph_unused_node"),
        "diamond": ([top, {**mean, "input": 0}, {**top, "input": 0}, add(1, 2)], "Two ways from one node.", [[1.0, 2.0]],
                    "graph_add graph_chain graph_reuse"),
        "soft": ([mean, {**soft, "input": 0}], "A smooth maximum of means.", [[1.0, 2.0]], "graph_chain"),
        "input-twice": ([add(-1, -1), {**top, "input": 0}], "The input added to itself.", [[1.0, 2.0, 4.0]],
                        "graph_add graph_chain graph_reuse"),
        "input-and-node": ([node("max_pool", kernel=[1]), add(-1, 0)], "The input and a node of it.",
                           [[1.0, 2.0, 4.0, 8.0]], "graph_add graph_reuse"),
    }
    for name, (nodes, note, dy, flags) in shapes.items():
        graph(name, "GAdd" if "graph_add" in flags else "GVjp", flags, note, nodes, x)
        graph(f"{name}-jvp", "GVjp", flags, note, nodes, x, tangent=t)
        graph(f"{name}-vjp", "GVjp", flags, note, nodes, x, cotangent=dy)
    graph("nan", "Nan", "graph_add nan", "A NaN passes through a sum.", [mean, {**mean}, add(0, 1)], [[NAN, 1.0, 2.0]])
    graph("infinities", "Inf", "graph_add infinity", "+inf and -inf in a sum.",
          [node("max_pool", kernel=[2]), node("smooth_max_pool", kernel=[2], beta=-1), add(0, 1)], [[INF, -INF, 1.0, 2.0]])
    graph("ties-between-nodes", "MTie", "graph_chain ties", "A tie that only the composition shows.",
          [mean, {**top, "input": 0}], [[1.0, 3.0, 1.0, 3.0]], cotangent=[[1.0, 2.0]])
    image = [[[float(4 * r + c if (r + c) % 2 else -(4 * r + c)) for c in range(4)] for r in range(4)]]
    graphm = {
        "max-pool-2d": ([node("max_pool", kernel=[2, 2], stride=[2, 2])], 2),
        "max-pool-2d-pad": ([node("max_pool", kernel=[2, 2], stride=[2, 2], pad_begin=[1, 1])], 3),
        "avg-pool-2d": ([node("avg_pool", kernel=[2, 2], stride=[2, 2])], 2),
        "avg-pool-2d-pad": ([node("avg_pool", kernel=[2, 2], stride=[2, 2], pad_begin=[1, 1])], 3),
        "smooth-max-pool-2d": ([node("smooth_max_pool", kernel=[2, 2], stride=[2, 2], beta=0.5)], 2),
    }
    for name, (nodes, n) in graphm.items():
        dtypes = "f64 f32"
        graph(f"graphm-{name}", "GVjp", "graphm", "GraphM's op as a graph of one node.", nodes, image, dtypes=dtypes)
        graph(f"graphm-{name}-jvp", "GVjp", "graphm", "Its JVP payload.", nodes, image, tangent=image, dtypes=dtypes)
        graph(f"graphm-{name}-vjp", "GVjp", "graphm", "Its VJP payload.", nodes, image,
              cotangent=[[[float(r - c + 1) for c in range(n)] for r in range(n)]], dtypes=dtypes)


def rejections(d: Drafts) -> None:
    def reject(name: str, clause: str, note: str, attrs, x, op: str = "max_pool", flags: str = "rejection", **more) -> None:
        d.add(f"reject-{name}", "rejections", clause, flags, note, op, attrs, x, rejected=True, **{"dtypes": FLOATS, **more})

    x = [1, 2, 3, 4]
    for op in ("max_pool", "avg_pool", "smooth_max_pool"):
        beta = {"beta": 1} if op == "smooth_max_pool" else {}
        n = op[:3]
        reject(f"{n}-kernel-zero", "WOut", "A kernel of 0.", {"kernel": [0], **beta}, x, op)
        reject(f"{n}-kernel-negative", "WOut", "A kernel of -1.", {"kernel": [-1], **beta}, x, op)
        reject(f"{n}-kernel-empty", "WOut", "No kernel sizes.", {"kernel": [], **beta}, x, op)
        reject(f"{n}-stride-zero", "WOut", "A stride of 0.", {"kernel": [2], "stride": [0], **beta}, x, op)
        reject(f"{n}-stride-negative", "WOut", "A stride of -1.", {"kernel": [2], "stride": [-1], **beta}, x, op)
        reject(f"{n}-dilation-zero", "W1", "A dilation of 0.", {"kernel": [2], "dilation": [0], **beta}, x, op)
        reject(f"{n}-padding-negative", "WPad", "Padding of -1.", {"kernel": [2], "pad_begin": [-1], **beta}, x, op)
        reject(f"{n}-end-padding-negative", "WPad", "End padding of -1.",
               {"kernel": [2], "pad_begin": [0], "pad_end": [-1], **beta}, x, op)
        reject(f"{n}-stride-rank", "WOut", "Two strides for one kernel size.", {"kernel": [2], "stride": [1, 1], **beta}, x, op)
        reject(f"{n}-kernel-rank", "WOut", "More kernel sizes than axes.", {"kernel": [1, 1], **beta}, x, op)
        reject(f"{n}-axis-empty", "WOut", "A spatial axis of size 0.", {"kernel": [1], **beta}, [], op, sizes=[2, 0])
        reject(f"{n}-auto-pad-and-pads", "WSame", "Automatic padding beside explicit pads.",
               {"kernel": [2], "auto_pad": "same_upper", "pad_begin": [1], **beta}, x, op)
    reject("divisor-zero", "VOver", "A divisor of 0.", {"kernel": [2], "divisor_override": 0}, x, "avg_pool")
    reject("oversized-pytorch", "WOver", "No output is left.", {"kernel": [5]}, x, profiles=["pytorch", "onnx", "tiny_pool"])
    reject("oversized-onnx-ceil", "WOver", "Wider than the padded input, though rounding up would leave one output.",
           {"kernel": [5], "stride": [5], "ceil_mode": True}, x, profiles=["onnx"])
    reject("padding-limit", "WPad", "Padding beyond half the kernel.", {"kernel": [2], "pad_begin": [2]}, x,
           profiles=["pytorch"])
    reject("padding-limit-dilated", "WPad", "The limit is that of the undilated kernel.",
           {"kernel": [3], "pad_begin": [2], "dilation": [2]}, [1, 2, 3, 4, 5], profiles=["pytorch"])
    reject("tiny-padding", "WPad", "tiny_pool has no padding for maxima and averages.", {"kernel": [2], "pad_begin": [1]},
           [[[1, 2, 3, 4]]], profiles=["tiny_pool"], dtypes="f32")
    reject("bins-zero", "A1", "Output size 0.", {"output_size": [0]}, x, "adaptive_max_pool", profiles=["torchlean"])
    reject("bins-negative", "A1", "Output size -1.", {"output_size": [-1]}, x, "adaptive_avg_pool")
    reject("bins-rank", "A1", "More output sizes than axes.", {"output_size": [1, 1]}, x, "adaptive_avg_pool")
    reject("bins-none", "A1", "No output sizes.", {"output_size": []}, x, "adaptive_max_pool")
    reject("global-rank-zero", "A1", "A spatial rank of 0.", {"spatial_rank": 0}, x, "global_avg_pool")
    reject("global-rank", "A1", "More spatial axes than there are.", {"spatial_rank": 2}, x, "global_max_pool")
    for name, nodes in (("no-nodes", []), ("forward-reference", [{"op": "max_pool", "attrs": {"kernel": [2]}, "input": 0}]),
                        ("invalid-unused", [{"op": "max_pool", "attrs": {"kernel": [9], "stride": [0]}, "input": -1},
                                            {"op": "max_pool", "attrs": {"kernel": [2]}, "input": -1}]),
                        ("add-shapes", [{"op": "max_pool", "attrs": {"kernel": [2]}, "input": -1},
                                        {"op": "add", "inputs": [-1, 0]}])):
        reject(f"graph-{name}", "GAdd" if name == "add-shapes" else "GVjp", "A graph that cannot be computed.",
               {"nodes": nodes}, [[1, 2, 3, 4]], "graph")
    reject("cotangent-shape", "Answer", "A cotangent of another shape than the output.", {"kernel": [2]}, x,
           cotangent=[1, 2, 3])


def ranks(d: Drafts) -> None:
    for rank in (1, 2, 3, 4):
        sizes = [1, 2] + [3] * rank if rank < 3 else [1, 1] + [3, 2, 2, 3][:rank]
        count = math.prod(sizes)
        x = [float((7 * k + 3) % 23 - 11) for k in range(count)]
        dy_count = sizes[0] * sizes[1] * math.prod(n - 1 for n in sizes[2:])
        for op in ("max_pool", "avg_pool", "smooth_max_pool"):
            attrs = {"kernel": [2] * rank, "stride": [1] * rank, **({"beta": 1} if op == "smooth_max_pool" else {})}
            dtypes = "f64 f32" if op == "smooth_max_pool" else FLOATS
            more = {"sizes": sizes, "dtypes": dtypes}
            n = op[:3]
            d.add(f"rank-{rank}-{n}", "ranks", "W1", "overlap ranks", f"Rank {rank}, every axis in turn.", op, attrs, x, **more)
            d.add(f"rank-{rank}-{n}-jvp", "ranks", "W1", "overlap ranks", f"Rank {rank}.", op, attrs, x, tangent=x[::-1], **more)
            dy = [float(k % 5 - 2) for k in range(dy_count)]
            for n_axis in reversed([n - 1 for n in sizes[2:]] ):
                dy = [dy[k:k + n_axis] for k in range(0, len(dy), n_axis)]
            dy = [dy[k:k + sizes[1]] for k in range(0, len(dy), sizes[1])]
            d.add(f"rank-{rank}-{n}-vjp", "ranks", "W1", "overlap ranks", f"Rank {rank}.", op, attrs, x, cotangent=dy, **more)


def lengths(d: Drafts) -> None:
    """The winner last, so that a remainder that a vector loop leaves out is missed."""
    for n in (*range(1, 18), 31, 32, 33, 63, 64, 65, 127, 128, 129):
        x = [(5 * k) % 11 - 6 for k in range(n - 1)] + [9]
        d.add(f"length-{n}-max", "lengths", "M1", "lengths", f"A window of {n} cells, the winner last.", "max_pool",
              {"kernel": [n]}, x, dtypes=FLOATS)
        d.add(f"length-{n}-avg", "lengths", "V1", "lengths", f"An average of {n} cells.", "avg_pool", {"kernel": [n]},
              x, dtypes=FLOATS)


def tiny(d: Drafts) -> None:
    for op in ("max_pool", "avg_pool"):
        n = op[:3]
        only = {"profiles": ["tiny_pool"], "dtypes": "f32"}
        d.add(f"tiny-{n}-1d", "tiny_pool", "WOut", "tiny_pool", "Edge cells are dropped.", op, {"kernel": [2], "stride": [2]},
              [[[1, 2, 3, 4, 9]]], **only)
        d.add(f"tiny-{n}-1d-vjp", "tiny_pool", "WOut", "overlap tiny_pool", "Backward.", op, {"kernel": [3], "stride": [1]},
              [[[1, 5, 2, 4, 3]]], cotangent=[[[1, 2, 4]]], **only)
        d.add(f"tiny-{n}-2d", "tiny_pool", "WOut", "tiny_pool", "Two leading axes.", op, {"kernel": [2, 2], "stride": [1, 2]},
              [[[[1, 2, 3, 4], [8, 7, 6, 5], [9, 10, 11, 12]]]], **only)
        d.add(f"tiny-{n}-2d-vjp", "tiny_pool", "WOut", "overlap tiny_pool", "Backward.", op,
              {"kernel": [2, 2], "stride": [1, 1]}, [[[[1, 2, 3], [8, 7, 6]]]], cotangent=[[[[3, 5]]]], **only)
        d.add(f"tiny-{n}-leading", "tiny_pool", "WOut", "rejection tiny_pool", "One leading axis is too few.", op,
              {"kernel": [2]}, [[1, 2]], rejected=True, **only)
    d.add("tiny-max-nan", "tiny_pool", "MNan", "nan tiny_pool", "A greater-than passes over NaNs.", "max_pool", {"kernel": [3]},
          [[[1, NAN, 5]]], profiles=["tiny_pool"], dtypes="f32")
