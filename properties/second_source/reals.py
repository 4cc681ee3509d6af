# SPDX-License-Identifier: Apache-2.0
"""Real numbers with exact equality where it shows, and enclosures of any width for everything else.

A value is a Fraction, or a Form: a polynomial with rational coefficients in symbols. A symbol is log(S) or
exp(e)/S, for S a sum of exponentials divided by its largest one, so that 1 <= S and nothing overflows.
Equal forms are equal numbers. Different forms are told apart by their enclosures; where those never part,
`Undecided` is raised and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from math import gcd
from typing import Dict, FrozenSet, List, NamedTuple, Tuple, Union

PRECISIONS = (60, 160, 450, 1200, 3000)
RELATIVE_WIDTH = Fraction(1, 2**110)
ABSOLUTE_WIDTH = Fraction(1, 2**1200)


class Undecided(Exception):
    """Two different forms whose enclosures still overlap at the highest precision."""


class Enclosure(NamedTuple):
    lower: Fraction
    upper: Fraction


class Symbol:
    """log(S), or exp(offset)/S where `offset` is given; S = sum of count * exp(offset) over `groups`."""

    __slots__ = ("groups", "offset", "key")

    def __init__(self, groups: FrozenSet[Tuple["Real", int]], offset: "Real | None") -> None:
        self.groups = groups
        self.offset = offset
        self.key = hash((groups, offset))

    def __hash__(self) -> int:
        return self.key

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Symbol) and self.key == other.key and self.offset == other.offset
                and self.groups == other.groups)


Monomial = FrozenSet[Tuple[Symbol, int]]
RATIONAL_PART: Monomial = frozenset()


class Form:
    """An irrational looking polynomial: monomials with their non-zero coefficients."""

    __slots__ = ("terms",)

    def __init__(self, terms: Dict[Monomial, Fraction]) -> None:
        self.terms = terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.terms == other.terms

    def __add__(self, other: "Real") -> "Real":
        terms = dict(self.terms)
        for monomial, coefficient in terms_of(other).items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
        return simplified(terms)

    def __mul__(self, other: "Real") -> "Real":
        terms: Dict[Monomial, Fraction] = {}
        for left, a in self.terms.items():
            for right, b in terms_of(other).items():
                powers = Counter(dict(left))
                powers.update(dict(right))
                product = frozenset(powers.items())
                terms[product] = terms.get(product, Fraction(0)) + a * b
        return simplified(terms)

    def __neg__(self) -> "Real":
        return self * Fraction(-1)

    def __sub__(self, other: "Real") -> "Real":
        return self + -other

    def __rsub__(self, other: "Real") -> "Real":
        return -self + other

    def __truediv__(self, divisor: Union[int, Fraction]) -> "Real":
        return self * Fraction(1, divisor)

    __radd__ = __add__
    __rmul__ = __mul__


Real = Union[Fraction, Form]


def terms_of(value: Real) -> Dict[Monomial, Fraction]:
    return value.terms if isinstance(value, Form) else {RATIONAL_PART: Fraction(value)}


def simplified(terms: Dict[Monomial, Fraction]) -> Real:
    terms = {monomial: coefficient for monomial, coefficient in terms.items() if coefficient != 0}
    if all(monomial == RATIONAL_PART for monomial in terms):
        return terms.get(RATIONAL_PART, Fraction(0))
    return Form(terms)


def symbol(groups: Dict[Real, int], offset: "Real | None" = None) -> Real:
    return Form({frozenset({(Symbol(frozenset(groups.items()), offset), 1)}): Fraction(1)})


def divided(value: Fraction, digits: int, rounding: str) -> Decimal:
    return Context(prec=digits, rounding=rounding, Emin=-10**6, Emax=10**6).divide(
        Decimal(value.numerator), Decimal(value.denominator))


def exponential(exponent: Enclosure, digits: int) -> Enclosure:
    """exp of an exponent that is at most 0; Decimal's exp is correctly rounded, so one step aside contains it."""
    if exponent == (0, 0):
        return Enclosure(Fraction(1), Fraction(1))
    context = Context(prec=digits, Emin=-10**6, Emax=10**6)
    negligible = -9 * digits
    lower = Fraction(0)
    if exponent.lower >= negligible:
        lower = Fraction(context.next_minus(context.exp(divided(exponent.lower, digits, ROUND_FLOOR))))
    upper = Fraction(1, 10 ** (3 * digits))
    if exponent.upper >= negligible:
        upper = Fraction(context.next_plus(context.exp(divided(exponent.upper, digits, ROUND_CEILING))))
    return Enclosure(lower, upper)


def logarithm(total: Enclosure, digits: int) -> Enclosure:
    """log of a number that is known to be at least 1."""
    context = Context(prec=digits, Emin=-10**6, Emax=10**6)
    floor = divided(total.lower, digits, ROUND_FLOOR)
    ceiling = divided(total.upper, digits, ROUND_CEILING)
    lower = Fraction(context.next_minus(context.ln(floor))) if floor > 1 else Fraction(0)
    return Enclosure(lower, Fraction(context.next_plus(context.ln(ceiling))))


@lru_cache(maxsize=4096)
def symbol_enclosure(of: Symbol, digits: int) -> Enclosure:
    """Both ends are non-negative."""
    parts = {offset: exponential(enclosure(offset, digits), digits) for offset, _ in of.groups}
    total = Enclosure(max(Fraction(1), sum((count * parts[offset].lower for offset, count in of.groups), Fraction(0))),
                      sum((count * parts[offset].upper for offset, count in of.groups), Fraction(0)))
    if of.offset is None:
        return logarithm(total, digits)
    part = parts[of.offset]
    return Enclosure(part.lower / total.upper, part.upper / total.lower)


def enclosure(value: Real, digits: int) -> Enclosure:
    """An enclosure from symbols known to about `digits` digits."""
    if isinstance(value, Fraction):
        return Enclosure(value, value)
    lower = upper = Fraction(0)
    for monomial, coefficient in value.terms.items():
        low = high = Fraction(1)
        for factor, power in monomial:
            factor_bounds = symbol_enclosure(factor, digits)
            low *= factor_bounds.lower ** power
            high *= factor_bounds.upper ** power
        ends = (coefficient * low, coefficient * high)
        lower += min(ends)
        upper += max(ends)
    return Enclosure(lower, upper)


def narrow_enclosure(value: Real) -> Enclosure:
    """An enclosure no wider than RELATIVE_WIDTH of the value or ABSOLUTE_WIDTH."""
    for digits in PRECISIONS:
        bounds = enclosure(value, digits)
        width = bounds.upper - bounds.lower
        size = min(abs(bounds.lower), abs(bounds.upper)) if bounds.lower * bounds.upper > 0 else Fraction(0)
        if width <= max(RELATIVE_WIDTH * size, ABSOLUTE_WIDTH):
            return bounds
    raise Undecided("an enclosure stays wide")


def sign(value: Real) -> int:
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    for digits in PRECISIONS:
        bounds = enclosure(value, digits)
        if bounds.lower > 0 or bounds.upper < 0:
            return 1 if bounds.lower > 0 else -1
    raise Undecided("a sign does not show")


def largest(values: List[Real]) -> Real:
    best = values[0]
    for value in values[1:]:
        if value != best and sign(value - best) > 0:
            best = value
    return best


def log_of_integer(number: int) -> Real:
    """Over the primes, so that log 4 equals log 2 + log 2."""
    result: Real = Fraction(0)
    prime = 2
    while number > 1:
        while number % prime == 0:
            result = result + symbol({Fraction(0): prime})
            number //= prime
        prime += 1
    return result


def reduced(counts: Dict[Real, int]) -> Tuple[int, Dict[Real, int]]:
    common = reduce(gcd, counts.values())
    return common, {offset: count // common for offset, count in counts.items()}


def log_sum_exp(exponents: List[Real]) -> Real:
    top = largest(exponents)
    common, groups = reduced(Counter(exponent - top for exponent in exponents))
    if len(groups) == 1:
        return top + log_of_integer(common)
    return top + log_of_integer(common) + symbol(groups)


def softmax(exponents: List[Real]) -> List[Real]:
    top = largest(exponents)
    offsets = [exponent - top for exponent in exponents]
    common, groups = reduced(Counter(offsets))
    if len(groups) == 1:
        return [Fraction(1, common)] * len(exponents)
    weight = {offset: symbol(groups, offset) / common for offset in groups}
    return [weight[offset] for offset in offsets]


def softmax_mean(exponents: List[Real], values: List[Real]) -> Real:
    """The softmax-weighted mean, written around the mean under the largest exponent: what cancels, cancels exactly."""
    top = largest(exponents)
    members: Dict[Real, List[Real]] = {}
    for exponent, value in zip(exponents, values):
        members.setdefault(exponent, []).append(value)
    mean = {exponent: sum(group, Fraction(0)) / len(group) for exponent, group in members.items()}
    result = mean[top]
    for exponent, weight in zip(exponents, softmax(exponents)):
        result = result + weight * (mean[exponent] - mean[top])
    return result
