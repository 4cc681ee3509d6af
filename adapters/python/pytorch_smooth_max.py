# SPDX-License-Identifier: Apache-2.0
"""log(sum(exp(beta*x)))/beta over windows, of PyTorch's tensor operations; 16-bit formats by way of f32.

A padded cell counts as 0. A tap past the padded input counts as nothing: an infinity whose exponential is 0.
"""
from poolproof_adapter import Declined, Rejected

import math

import torch
import torch.nn.functional as F


def outputs_of(n, kernel, stride, dilation, pads, ceil_mode):
    if 2 * max(pads) > kernel:
        raise Rejected("padding is at most half of the kernel")
    room = n + sum(pads) - (dilation * (kernel - 1) + 1)
    outputs = (-(-room // stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (outputs - 1) * stride >= n + pads[0]:
        outputs -= 1
    if outputs < 1:
        raise Rejected("the kernel leaves no output")
    return outputs


def windows(x, rank, attrs, nothing):
    """The taps of each window side by side on a last axis."""
    if "auto_pad" in attrs:
        raise Declined("auto_pad is left to the caller")
    first = x.dim() - rank
    axes = list(zip(x.shape[first:], attrs["kernel"], attrs["stride"], attrs["dilation"],
                    zip(attrs["pad_begin"], attrs["pad_end"])))
    x = F.pad(x, [pad for axis in reversed(axes) for pad in axis[4]])
    for k, (n, kernel, stride, dilation, pads) in enumerate(axes):
        outputs = outputs_of(n, kernel, stride, dilation, pads, attrs["ceil_mode"])
        reach = dilation * (kernel - 1) + 1
        overhang = max(0, (outputs - 1) * stride + reach - n - sum(pads))
        x = F.pad(x, [0, 0] * (x.dim() - 1 - first - k) + [0, overhang], value=nothing)
        x = x.unfold(first + k, reach, stride)[..., ::dilation].narrow(first + k, 0, outputs)
    return x.flatten(first + rank)


def smooth_max_pool(x, rank, attrs):
    beta = float.fromhex(attrs["beta"]) if isinstance(attrs["beta"], str) else attrs["beta"]
    wide = x.to(torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    taps = windows(wide, rank, attrs, -math.copysign(math.inf, beta))
    shift = taps.detach().amax(-1) if beta > 0 else taps.detach().amin(-1)
    shift = torch.where(torch.isfinite(shift), shift, torch.zeros_like(shift))
    half = 0.5 if abs(beta) < 1 else 1  # differences and quotients may overflow, and then beta is small
    parts = torch.exp((taps.detach() * half - shift.unsqueeze(-1) * half) * (beta / half))
    total = parts.sum(-1)
    # The derivative is given as weights: that of log(..)/beta would divide by beta, which may be tiny.
    weights = torch.nan_to_num(parts / total.unsqueeze(-1))
    change = torch.nan_to_num(taps - taps.detach())  # 0, with a derivative
    value = (shift * half + torch.log(total) * half / beta) / half
    return (value + (weights * change).sum(-1)).to(x.dtype)
