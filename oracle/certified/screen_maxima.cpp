// SPDX-License-Identifier: Apache-2.0
// The short way for maxima that are right: a window's greatest value, if it is a number other than 0, is the
// only pattern that may stand there, and an equal one is that pattern.
#include "oracle/certified/divisors.hpp"
#include "oracle/certified/lanes.hpp"

namespace poolproof::certified {

namespace {

/// The greatest of `n` windows, the k-th over the cells x[offset + k stride]. Reads up to `lanes_beyond`
/// cells past the last one.
POOLPROOF_CLONES void raise_windows(const double* x, const Index* offsets, std::size_t taps, Index stride,
                                    std::size_t n, double* most) {
    for (std::size_t k = 0; k < n; k += lanes) {
        Lanes m = Lanes{} - HUGE_VAL, t{};
        for (std::size_t j = 0; j < taps; ++j) {
            load_lanes(x + offsets[j] + static_cast<Index>(k) * stride, stride, t);
            m = m > t ? m : t;
        }
        std::memcpy(most + k, &m, sizeof m);
    }
}

/// How many of the answers are not the windows' greatest numbers, or are told from others by more than their
/// value.
POOLPROOF_CLONES std::size_t unequal(const double* y, const double* most, std::size_t n) {
    std::size_t r = 0;
    for (std::size_t k = 0; k < n; ++k) {
        double answer;
        std::memcpy(&answer, y + k, sizeof answer);
        r += answer != most[k] || most[k] == 0 || most[k] == -HUGE_VAL ? 1U : 0U;
    }
    return r;
}

class MaximumScreen {
public:
    MaximumScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b), answer_(answer), doubtful_(doubtful), runs_(b.walk.runs()) {}

    void run() {
        Index widest = 1;
        for (const Walk::Run& run : runs_) widest = std::max(widest, run.stride);
        const std::size_t beyond = lanes_beyond * static_cast<std::size_t>(widest);
        for (Index k = 0; k < b_.slices.count; ++k) {
            const double* const x = numbers_at(b_.c.input, b_.first_cell(k), b_.walk.cells, beyond, x_);
            const double* const y = numbers_at(answer_, b_.first_out(k), b_.walk.outs, 0, answers_);
            const bool finite = all_finite(x, b_.walk.cells);
            for (std::size_t o = 0; o < b_.walk.outer.size(); ++o)
                for (const Walk::Run& run : runs_) {
                    const std::size_t at = o * b_.walk.inner.size() + run.begin;
                    windows(x, y + at, o, run, b_.first_out(k) + static_cast<Index>(at), finite);
                }
        }
    }

private:
    void windows(const double* x, const double* y, std::size_t outer, const Walk::Run& run, Index at,
                 bool finite) {
        const Walk::Outer& o = b_.walk.outer[outer];
        const Walk::Inner& first = b_.walk.inner[run.begin];
        if (most_.size() < run.count + lanes) most_.resize(run.count + lanes);
        taps_.clear();
        for (std::size_t r = 0; r < o.rows && finite; ++r)
            for (Index j = 0; j < first.counts.count; ++j)
                taps_.push_back(b_.walk.row_starts[o.first_row + r] + first.first + j * first.step);
        raise_windows(x, taps_.data(), taps_.size(), run.stride, run.count, most_.data());
        if (unequal(y, most_.data(), run.count) == 0) return;
        for (std::size_t k = 0; k < run.count; ++k)
            if (unequal(y + k, most_.data() + k, 1) > 0) doubtful_.push_back(at + static_cast<Index>(k));
    }

    const Block& b_;
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    std::vector<Walk::Run> runs_;
    std::vector<Index> taps_;
    std::vector<double> x_, answers_, most_;
};

}  // namespace

bool screen_maxima(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    if (keeping_of(b).flushes || b.pool.policy.max_padding == MaxPadding::zero) return false;
    MaximumScreen(b, answer, doubtful).run();
    return true;
}

}  // namespace poolproof::certified
