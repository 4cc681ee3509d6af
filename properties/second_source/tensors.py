# SPDX-License-Identifier: Apache-2.0
"""Reads the tensors and numbers of a case: hex floats, JSON numbers and little-endian bits of every dtype.

A tensor's values are Fractions or the words nan, inf and -inf. Which zeros are negative is kept aside.
"""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Tuple, Union

from reals import Form

NAN, PLUS_INF, MINUS_INF = "nan", "inf", "-inf"
OPEN = "open"  # no clause decides; it may be anything, an infinity or NaN as well
UNDETERMINED = "undetermined"  # no clause decides which finite number it is
Value = Union[Fraction, Form, str]


class Rejected(Exception):
    """The case is invalid; the text says why."""


class FloatFormat(NamedTuple):
    precision: int
    lowest_exponent: int
    highest_exponent: int
    bytes: int

    @property
    def largest(self) -> Fraction:
        return (2 - Fraction(1, 2 ** (self.precision - 1))) * Fraction(2) ** self.highest_exponent


class IntegerFormat(NamedTuple):
    lowest: int
    highest: int
    bytes: int


FLOATS = {"f64": FloatFormat(53, -1022, 1023, 8), "f32": FloatFormat(24, -126, 127, 4),
          "f16": FloatFormat(11, -14, 15, 2), "bf16": FloatFormat(8, -126, 127, 2)}
INTEGERS = {"i8": IntegerFormat(-2**7, 2**7 - 1, 1), "u8": IntegerFormat(0, 2**8 - 1, 1),
            "i32": IntegerFormat(-2**31, 2**31 - 1, 4), "i64": IntegerFormat(-2**63, 2**63 - 1, 8)}
HEX_FLOAT = re.compile(r"([+-]?)0[xX](?=\.?[0-9a-fA-F])([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]{1,6}))?")


class Tensor(NamedTuple):
    shape: Tuple[int, ...]
    values: List[Value]
    negative_zeros: FrozenSet[int] = frozenset()


class Number(NamedTuple):
    value: Union[Fraction, str]
    negative: bool = False


def rounded(value: Fraction, form: FloatFormat) -> Optional[Fraction]:
    """The nearest number of the format, ties to even; None where it overflows."""
    if value == 0:
        return value
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (max(exponent, form.lowest_exponent) - form.precision + 1)
    nearest = round(value / step) * step
    return nearest if abs(nearest) <= form.largest else None


def hex_float(text: str, dtype: str) -> Number:
    if text in (NAN, PLUS_INF, MINUS_INF):
        return Number(text)
    match = HEX_FLOAT.fullmatch(text)
    if not match:
        raise Rejected(f"{text!r} is not a hexadecimal float, inf, -inf or nan")
    minus, whole, fraction, exponent = match.groups()
    digits = int(whole + (fraction or ""), 16)
    size = Fraction(digits, 16 ** len(fraction or "")) * Fraction(2) ** int(exponent or 0)
    value = -size if minus == "-" else size
    if rounded(value, FLOATS[dtype]) != value:
        raise Rejected(f"{text} is not a number of {dtype}")
    return Number(value, minus == "-")


def json_number(number: Union[int, Decimal], dtype: str) -> Number:
    value = Fraction(number)
    negative = value < 0 or (isinstance(number, Decimal) and number.is_signed())
    if dtype in INTEGERS:
        form = INTEGERS[dtype]
        if value.denominator != 1 or not form.lowest <= value <= form.highest:
            raise Rejected(f"{number} is not an integer of {dtype}")
        return Number(value, False)
    nearest = rounded(value, FLOATS[dtype])
    if nearest is None:
        raise Rejected(f"{number} overflows {dtype}")
    return Number(nearest, negative)


def is_json_number(item: Any) -> bool:
    return type(item) in (int, Decimal)


def number(item: Any, dtype: str) -> Number:
    if isinstance(item, str) and dtype in FLOATS:
        return hex_float(item, dtype)
    if is_json_number(item):
        return json_number(item, dtype)
    raise Rejected(f"{item!r} is not a value of {dtype}")


def from_bytes(raw: bytes, dtype: str) -> Number:
    if dtype in INTEGERS:
        return Number(Fraction(int.from_bytes(raw, "little", signed=INTEGERS[dtype].lowest < 0)))
    wide = b"\0\0" + raw if dtype == "bf16" else raw
    value = struct.unpack({"f64": "<d", "f32": "<f", "bf16": "<f", "f16": "<e"}[dtype], wide)[0]
    if value != value:
        return Number(NAN)
    if abs(value) == float("inf"):
        return Number(PLUS_INF if value > 0 else MINUS_INF)
    return Number(Fraction(value), raw[-1] >= 0x80)


def shape_of(item: Any) -> Tuple[int, ...]:
    if not isinstance(item, list) or any(type(n) is not int or n < 0 for n in item):
        raise Rejected("shape must be a list of sizes")
    return tuple(item)


def tensor(item: Any, name: str, dtype: str) -> Tensor:
    if not isinstance(item, dict):
        raise Rejected(f"{name} must be a tensor")
    if item.get("dtype", dtype) != dtype:
        raise Rejected(f"{name} has dtype {item['dtype']!r}, the case has {dtype}")
    shape = shape_of(item.get("shape"))
    if ("data" in item) == ("bits" in item):
        raise Rejected(f"{name} must hold either data or bits")
    if "data" in item:
        if not isinstance(item["data"], list):
            raise Rejected(f"{name}.data must be a list")
        numbers = [number(entry, dtype) for entry in item["data"]]
    else:
        numbers = numbers_from_bits(item["bits"], name, dtype)
    if len(numbers) != prod(shape):
        raise Rejected(f"{name} holds {len(numbers)} values, its shape wants {prod(shape)}")
    zeros = frozenset(k for k, entry in enumerate(numbers) if entry.value == 0 and entry.negative)
    return Tensor(shape, [entry.value for entry in numbers], zeros)


def numbers_from_bits(bits: Any, name: str, dtype: str) -> List[Number]:
    if not isinstance(bits, str) or not re.fullmatch(r"([0-9a-f]{2})*", bits):
        raise Rejected(f"{name}.bits must be a string of lower-case hex bytes")
    raw = bytes.fromhex(bits)
    size = {**FLOATS, **INTEGERS}[dtype].bytes
    if len(raw) % size:
        raise Rejected(f"{name}.bits is not a whole number of values")
    return [from_bytes(raw[k:k + size], dtype) for k in range(0, len(raw), size)]


def lowest_finite(dtype: str) -> Fraction:
    return Fraction(INTEGERS[dtype].lowest) if dtype in INTEGERS else -FLOATS[dtype].largest


def fields(item: Any, name: str) -> Dict[str, Any]:
    if not isinstance(item, dict):
        raise Rejected(f"{name} must be an object")
    return item
