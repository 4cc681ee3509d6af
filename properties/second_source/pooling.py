# SPDX-License-Identifier: Apache-2.0
"""One pooling operator on one tensor: its value, indices, and both derivatives, window by window.

Values are Fractions, Forms, nan, inf, -inf or OPEN; tangents and gradients may also be UNDETERMINED.
Derivatives come from one weight per tap; CHOICE is the weight of a tied tap where any of them may win.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any, Dict, List, Tuple, Union

from policies import Policy
from reals import log_sum_exp, sign, softmax, softmax_mean
from tensors import (INTEGERS, MINUS_INF, NAN, OPEN, PLUS_INF, UNDETERMINED, Rejected, Tensor, Value,
                     fields, lowest_finite)
from windows import PADDING, Window, beta_of, check_dtype, divisor, layout, row_major

ZERO = Fraction(0)
CHOICE = "choice"
MIRRORED = {PLUS_INF: MINUS_INF, MINUS_INF: PLUS_INF, NAN: NAN}


def is_finite(value: Value) -> bool:
    """Whether it is known to be a finite number, if not which."""
    return not isinstance(value, str) or value == UNDETERMINED


def order(left: Value, right: Value) -> int:
    if left == right:
        return 0
    for extreme, direction in ((PLUS_INF, 1), (MINUS_INF, -1)):
        if left == extreme:
            return direction
        if right == extreme:
            return -direction
    return sign(left - right)


def added(left: Value, right: Value) -> Value:
    """The sum of finite, open or undetermined terms."""
    if OPEN in (left, right):
        return OPEN
    if UNDETERMINED in (left, right):
        return UNDETERMINED
    return left + right


def scaled(weight: Any, value: Value) -> Value:
    if weight == 0 or value == 0:
        return ZERO
    return UNDETERMINED if CHOICE == weight or value == UNDETERMINED else weight * value


def extended_sum(values: List[Value]) -> Value:
    if NAN in values:
        return NAN
    if OPEN in values:
        return OPEN
    infinities = {value for value in values if value in (PLUS_INF, MINUS_INF)}
    if infinities:
        return infinities.pop() if len(infinities) == 1 else NAN
    return sum(values, ZERO)


class Pool:
    """A checked operator, ready for inputs of one shape; invalid arguments are a rejection."""

    def __init__(self, op: str, attrs: Any, policy: Policy, dtype: str, mode: str, shape: Tuple[int, ...]) -> None:
        self.op = op
        self.kind = "smooth" if op.startswith("smooth") else "max" if "max" in op else "avg"
        self.attrs: Dict[str, Any] = fields(attrs, "attrs")
        self.policy = policy
        self.dtype = dtype
        check_dtype(op, dtype, mode)
        self.layout = layout(op, self.attrs, policy, dtype, shape)
        self.shape = shape
        self.beta = beta_of(self.attrs, dtype) if op == "smooth_max_pool" else None
        self.wants_indices = self.attrs.get("return_indices", False)
        if self.wants_indices and mode != "forward":
            raise Rejected("return_indices is for the forward mode")
        if self.kind == "avg" and dtype in INTEGERS:
            policy.require("integer_mean")

    def placed_windows(self) -> List[Window]:
        """Every window of every leading index, in output order, its taps positions in the whole input."""
        block = prod(self.layout.spatial)
        leading = prod(self.shape[:len(self.shape) - len(self.layout.spatial)])
        return [[tap if tap == PADDING else index * block + tap for tap in window]
                for index in range(leading) for window in self.layout.windows]

    def forward(self, x: Tensor) -> Tensor:
        value = {"max": self.max_value, "avg": self.average, "smooth": self.smooth_max}[self.kind]
        return Tensor(self.layout.output_shape, [value(x, window) for window in self.placed_windows()])

    def indices(self, x: Tensor) -> Tuple[Tuple[int, ...], List[Union[int, str]]]:
        shape = self.layout.output_shape
        flat = [self.index(x, window) for window in self.placed_windows()]
        if self.attrs.get("index_form") != "row_column":
            return shape, flat
        columns = self.layout.spatial[1]
        pairs = [part for index in flat for part in ((OPEN, OPEN) if index == OPEN else divmod(index, columns))]
        return shape[:-1] + (2 * shape[-1],), pairs

    def push(self, x: Tensor, tangent: Tensor) -> Tensor:
        return Tensor(self.layout.output_shape,
                      [self.pushed(x, tangent.values, window) for window in self.placed_windows()])

    def pull(self, x: Tensor, cotangent: Tensor) -> Tensor:
        gradient: List[Value] = [ZERO] * len(x.values)
        for window, c in zip(self.placed_windows(), cotangent.values):
            real = [tap for tap in window if tap != PADDING]
            if not is_finite(c) or not all(is_finite(x.values[tap]) for tap in real):
                weighted = [(tap, OPEN) for tap in real]
            else:
                weighted = [(tap, scaled(weight, c)) for tap, weight in zip(window, self.weights(x, window))]
            for tap, term in weighted:
                if tap != PADDING:
                    gradient[tap] = added(gradient[tap], term)
        return Tensor(x.shape, gradient)

    def empty_value(self) -> Value:
        if self.policy["empty_window"] == "zero":
            return ZERO
        if self.policy["empty_window"] == "open":
            return OPEN
        if self.kind == "avg":
            undefined = OPEN if self.dtype in INTEGERS else NAN
            return lowest_finite(self.dtype) if self.policy["empty_window"] == "lowest" else undefined
        if self.policy["empty_window"] == "nan":
            return OPEN if self.dtype in INTEGERS else NAN
        lowest = lowest_finite(self.dtype)
        downward = self.beta is None or self.beta > 0
        if self.policy["empty_window"] == "lowest" or self.dtype in INTEGERS:
            return lowest if downward else -lowest
        return MINUS_INF if downward else PLUS_INF

    def competitors(self, x: Tensor, window: Window) -> List[Tuple[int, Value]]:
        """What takes part in a max, in window order, NaNs aside."""
        cells = [(tap, ZERO if tap == PADDING else x.values[tap]) for tap in window]
        return [(tap, value) for tap, value in cells if value != NAN]

    def tied(self, x: Tensor, competitors: List[Tuple[int, Value]]) -> List[int]:
        """The taps that hold the maximum, in window order."""
        best, taps = competitors[0][1], []
        for tap, value in competitors:
            comparison = order(value, best)
            if comparison > 0:
                best, taps = value, []
            if comparison >= 0:
                taps.append(tap)
        if self.policy["signed_zero"] == "positive" and best == 0:
            positive = [tap for tap in taps if tap not in x.negative_zeros]
            return positive or taps
        return taps

    def max_value(self, x: Tensor, window: Window) -> Value:
        if not window:
            return self.empty_value()
        competitors = self.competitors(x, window)
        if len(competitors) < len(window) and self.policy["nan"] != "ignore":
            return NAN if self.policy["nan"] == "propagate" else OPEN
        if not competitors or any(value == OPEN for _, value in competitors):
            return OPEN
        taps = self.tied(x, competitors)
        return dict(competitors)[taps[0]]

    def index(self, x: Tensor, window: Window) -> Union[int, str]:
        """Within the spatial block."""
        competitors = self.competitors(x, window)
        nans = [tap for tap in window if tap != PADDING and x.values[tap] == NAN]
        if nans and (self.policy["nan"] != "ignore" or not competitors):
            choice = self.policy["nan_index"] if self.policy["nan"] == "propagate" else OPEN
            winner = {"first": nans[0], "last": nans[-1], OPEN: PADDING}[choice]
        elif not competitors:
            return OPEN
        else:
            taps = self.tied(x, competitors)
            ties = self.policy.ties(self.op)
            if ties in ("any", "convex") and len(taps) > 1:
                return OPEN
            winner = taps[-1] if ties == "last" else taps[0]
        return OPEN if winner == PADDING else winner % prod(self.layout.spatial)

    def average(self, x: Tensor, window: Window) -> Value:
        count = divisor(window, self.attrs)
        if count == 0:
            return self.empty_value()
        total = extended_sum([x.values[tap] for tap in window if tap != PADDING])
        if isinstance(total, str):
            return MIRRORED[total] if count < 0 and total in MIRRORED else total
        return self.integer_mean(total / count) if self.dtype in INTEGERS else total / count

    def integer_mean(self, mean: Fraction) -> Value:
        """The mean before rounding; open where the rounded mean leaves the type."""
        below, above = mean.numerator // mean.denominator, -(-mean.numerator // mean.denominator)
        half_away = below if mean - below < Fraction(1, 2) or (mean - below == Fraction(1, 2) and mean < 0) else above
        toward_zero = below if mean > 0 else above
        whole = {"toward_zero": toward_zero, "floor": below, "half_even": round(mean),
                 "half_away": half_away, "open": toward_zero}[self.policy["integer_mean"]]
        form = INTEGERS[self.dtype]
        return mean if form.lowest <= whole <= form.highest else OPEN

    def exponents(self, x: Tensor, window: Window) -> List[Value]:
        return [ZERO if tap == PADDING else self.beta * x.values[tap] for tap in window]

    def smooth_max(self, x: Tensor, window: Window) -> Value:
        if not window:
            return self.empty_value()
        values = [ZERO if tap == PADDING else x.values[tap] for tap in window]
        if NAN in values:
            return NAN
        if OPEN in values:
            return OPEN
        winning, losing = (PLUS_INF, MINUS_INF) if self.beta > 0 else (MINUS_INF, PLUS_INF)
        if winning in values:
            return winning
        exponents = [self.beta * value for value in values if value != losing]
        return log_sum_exp(exponents) / self.beta if exponents else losing

    def weights(self, x: Tensor, window: Window) -> List[Any]:
        """The derivative by each tap of a window whose cells are finite."""
        if self.kind == "avg":
            count = divisor(window, self.attrs)
            return [Fraction(1, count) if count else ZERO] * len(window)
        if not window:
            return []
        if self.kind == "smooth":
            return softmax(self.exponents(x, window))
        return self.max_weights(x, window)

    def max_weights(self, x: Tensor, window: Window) -> List[Any]:
        """Padding taps of one window share one name, so they are told apart by where they stand."""
        cells = Tensor((len(window),), [ZERO if tap == PADDING else x.values[tap] for tap in window],
                       frozenset(k for k, tap in enumerate(window) if tap in x.negative_zeros))
        places = self.tied(cells, list(enumerate(cells.values)))
        ties = self.policy.ties(self.op)
        if ties in ("first", "last"):
            places = [places[0 if ties == "first" else -1]]
        weight: Any = CHOICE if ties in ("any", "convex") and len(places) > 1 else Fraction(1)
        if ties == "split":
            weight = Fraction(1, len(places))
        return [weight if place in places else ZERO for place in range(len(window))]

    def pushed(self, x: Tensor, tangents: List[Value], window: Window) -> Value:
        real = [tap for tap in window if tap != PADDING]
        if not all(is_finite(x.values[tap]) and is_finite(tangents[tap]) for tap in real):
            return OPEN
        pushed = [ZERO if tap == PADDING else tangents[tap] for tap in window]
        if self.kind == "smooth" and window and UNDETERMINED not in pushed:
            return softmax_mean(self.exponents(x, window), pushed)
        weights = self.weights(x, window)
        if CHOICE in weights:
            return one_of([t for t, weight in zip(pushed, weights) if weight == CHOICE])
        total: Value = ZERO
        for weight, t in zip(weights, pushed):
            total = added(total, scaled(weight, t))
        return total


def one_of(tangents: List[Value]) -> Value:
    """The tangent of a real tie that any tied cell may win: decided only if all agree."""
    if UNDETERMINED in tangents or any(order(t, tangents[0]) != 0 for t in tangents):
        return UNDETERMINED
    return tangents[0]
