// SPDX-License-Identifier: Apache-2.0
// Work in equal parts, side by side.
#pragma once

#include <poolproof/reference.hpp>

#include <algorithm>
#include <functional>

namespace poolproof::reference {

/// Calls part(k) for k = 0 to parts-1, k = 0 in this thread and the others in threads that are kept for later
/// calls. Rethrows what a part threw. Where the threads are at work for someone else, or there can be none,
/// all parts are done here.
void in_workers(int parts, const std::function<void(int)>& part);

/// Calls f(begin, end) for consecutive parts of 0 to n, in up to `threads` threads.
template <class F> void in_parallel(int threads, Index n, const F& f) {
    const int parts = static_cast<int>(std::min<Index>(threads, n));
    if (parts <= 1) return f(Index{0}, n);
    in_workers(parts, [&](int k) { f(n * k / parts, n * (k + 1) / parts); });
}

}  // namespace poolproof::reference
