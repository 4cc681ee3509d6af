// SPDX-License-Identifier: Apache-2.0
// The adapter's side of the protocol: what makes a function a program that the runner can start.
#pragma once

#include <poolproof/backend.hpp>

#include <functional>

namespace poolproof::host {

/// When replies are written: each before the next case begins, so that a crash takes no other's answer with
/// it, or many at once, for functions that do not crash.
enum class Replies { each, together };

/// Answers requests on standard input until it ends, and gives the exit code. Standard output is kept for the
/// protocol: what `run` prints goes to standard error. A case that cannot be read is answered `rejected`.
int serve(const Declaration& declaration, const std::function<Observation(const Case&)>& run,
          Replies replies = Replies::each);

}  // namespace poolproof::host
