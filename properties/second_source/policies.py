# SPDX-License-Identifier: Apache-2.0
"""The policies, their values, and what each profile says; a policy missing from a profile is outside it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict

from tensors import Rejected, fields

POLICY_VALUES = {
    "ties": ("first", "last", "all", "split", "any", "convex"),
    "nan": ("propagate", "ignore", "open"),
    "nan_index": ("first", "last", "open"),
    "signed_zero": ("either", "first", "positive"),
    "max_padding": ("ignored", "zero"),
    "smooth_padding": ("zero", "ignored"),
    "divisor": ("kernel", "clipped"),
    "ceil_rule": ("drop_window_in_end_padding", "keep"),
    "empty_window": ("zero", "identity", "lowest", "nan", "reject", "open"),
    "oversized_kernel": ("reject", "reject_empty", "one_window"),
    "padding_limit": ("none", "half_kernel", "zero"),
    "accumulate": ("any", "f32", "exact"),
    "accumulate_gradient": ("any", "f32", "exact"),
    "integer_mean": ("toward_zero", "floor", "half_even", "half_away", "open"),
    "deterministic": ("required", "open"),
    "intermediate_overflow": ("allowed", "forbidden"),
    "subnormals": ("kept", "may_flush"),
}

# Only what can change an exact answer; rounding policies do not.
PROFILES = {
    "torchlean": {
        "ties": "first", "nan": "open", "nan_index": "open", "signed_zero": "either", "max_padding": "ignored",
        "smooth_padding": "zero", "divisor": "kernel", "ceil_rule": "drop_window_in_end_padding",
        "empty_window": "zero", "oversized_kernel": "one_window", "padding_limit": "none", "integer_mean": "open",
        "elementary_ulp": 4},
    "pytorch": {
        "ties": "first", "nan": "propagate", "nan_index": "last", "signed_zero": "either", "max_padding": "ignored",
        "smooth_padding": "zero", "divisor": "clipped", "ceil_rule": "drop_window_in_end_padding",
        "empty_window": "identity", "oversized_kernel": "reject_empty", "padding_limit": "half_kernel",
        "integer_mean": "toward_zero", "elementary_ulp": 4},
    "onnx": {
        "ties": "first", "nan": "open", "nan_index": "open", "signed_zero": "either", "max_padding": "ignored",
        "divisor": "clipped", "ceil_rule": "drop_window_in_end_padding", "empty_window": "open",
        "oversized_kernel": "reject", "padding_limit": "none", "integer_mean": "open"},
    "tiny_pool": {
        "ties": "first", "nan": "ignore", "nan_index": "open", "signed_zero": "first", "divisor": "kernel",
        "oversized_kernel": "reject", "padding_limit": "zero"},
}


class Policy:
    """A profile with a case's overrides; asking for what neither names is a rejection."""

    def __init__(self, profile: Any, overrides: Any) -> None:
        if not isinstance(profile, str) or profile not in PROFILES:
            raise Rejected(f"{profile!r} is no profile; there are {', '.join(PROFILES)}")
        self.profile = profile
        self.overrides: Dict[str, Any] = fields(overrides, "policy")
        for name, value in self.overrides.items():
            if name == "elementary_ulp":
                if type(value) not in (int, Decimal):
                    raise Rejected("policy.elementary_ulp must be a number")
            elif name not in POLICY_VALUES:
                raise Rejected(f"{name!r} is no policy")
            elif value not in POLICY_VALUES[name]:
                raise Rejected(f"policy.{name} is {value!r}; it can be {', '.join(POLICY_VALUES[name])}")

    def __getitem__(self, name: str) -> Any:
        value = self.overrides.get(name, PROFILES[self.profile].get(name))
        if value is None:
            raise Rejected(f"the case depends on {name}, which is outside the profile {self.profile}")
        return value

    def require(self, name: str) -> None:
        """Rejects a case that `name` governs where the profile leaves it out and the case does not set it."""
        self[name]

    def ties(self, op: str) -> str:
        if self.profile == "torchlean" and op == "global_max_pool":
            return self.overrides.get("ties", "all")
        return self["ties"]
