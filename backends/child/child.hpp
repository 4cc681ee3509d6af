// SPDX-License-Identifier: Apache-2.0
// A program that speaks the adapter protocol, as a backend. Whatever it does to itself is an observation of
// the case at hand; the run goes on with a fresh process.
#pragma once

#include <poolproof/backend.hpp>

namespace poolproof::child {

/// `name` is how messages call it. Nothing is started yet.
std::unique_ptr<Backend> backend(std::string name, std::vector<std::string> command, const Limits& limits);

}  // namespace poolproof::child
