// SPDX-License-Identifier: Apache-2.0
// The short way for answers that are right: which of the screens a plan has, if any.
#include "oracle/certified/block.hpp"

namespace poolproof::certified {

bool screen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    if (is_integer(b.plan.format)) return false;
    switch (b.pool.reduction) {
        case Reduction::max:
            return b.plan.mode == Mode::forward ? screen_maxima(b, answer, doubtful)
                                                : screen_max_derivatives(b, answer, doubtful);
        case Reduction::smooth_max: return smooth_max_screen(b, answer, doubtful);
        case Reduction::average: break;
    }
    if (b.plan.mode == Mode::vjp) return screen_mean_gradients(b, answer, doubtful);
    return screen_averages(b, answer, doubtful);
}

}  // namespace poolproof::certified
