// SPDX-License-Identifier: Apache-2.0
// PyTorch under test: a case through LibTorch's eager calls on the CPU, derivatives by its own automatic
// differentiation.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>

#include <string>

namespace poolproof::backends {

/// Calls what a PyTorch user would write: the pooling functions by their rank (global ops as adaptive ones of
/// size 1), `backward` for a VJP, forward-mode AD for a JVP, one after the other for a graph. PyTorch has no
/// smooth maximum; it is written as padding, `unfold` and `logsumexp(beta*x)/beta`, in float for 16-bit
/// formats, and its padding is zero. Leading axes are folded into PyTorch's (N, C).
///
/// PyTorch's conventions are followed whatever the case's profile and policy say. Declined is what PyTorch's
/// functions have no argument or no kernel for; `rejected` is what their argument checks refuse; `failed` is
/// any other error. Uses one thread.
Observation run_torch(const Case& c);

/// The version of the LibTorch that this was compiled against.
std::string torch_version();

/// The capabilities of the adapter protocol, as JSON: what a plain call of each op, mode, format and rank
/// answers, found out by calling it.
std::string torch_capabilities();

}  // namespace poolproof::backends
