// SPDX-License-Identifier: Apache-2.0
// The short way for maxima that are right: a window's greatest value, if it is a number other than 0, is the
// only pattern that may stand there, and an equal one is that pattern.
#include "oracle/certified/divisors.hpp"

namespace poolproof::certified {

namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define POOLPROOF_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define POOLPROOF_CLONES
#endif

template <class Count>
inline void raise_strided(const double* __restrict x, Index stride, Count n, double* __restrict most) {
    for (Count k = 0; k < n; ++k) {
        const double t = x[static_cast<Index>(k) * stride];
        most[k] = most[k] > t ? most[k] : t;
    }
}

/// Raises the k-th number to x[k stride].
POOLPROOF_CLONES void raise_column(const double* x, Index stride, std::size_t n, double* most) {
    if (stride == 1)
        raise_strided(x, 1, n, most);
    else if (stride == 2)
        raise_strided(x, 2, n, most);
    else
        raise_strided(x, stride, n, most);
}

/// 0 if all are finite, else NaN.
POOLPROOF_CLONES double off_finite(const double* __restrict x, std::size_t n) {
    double lanes[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += x[k + lane] * 0;
    double off = 0;
    for (; k < n; ++k) off += x[k] * 0;
    for (const double lane : lanes) off += lane;
    return off;
}

class MaximumScreen {
public:
    MaximumScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b), answer_(answer), doubtful_(doubtful), runs_(b.walk.runs()) {}

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) {
            const double* x = numbers(b_.c.input, b_.first_cell(k), b_.walk.cells, x_);
            const bool finite = off_finite(x, static_cast<std::size_t>(b_.walk.cells)) == 0;
            const Index first = b_.first_out(k);
            numbers(answer_, first, b_.walk.outs, answers_);
            for (std::size_t o = 0; o < b_.walk.outer.size(); ++o)
                for (const Walk::Run& run : runs_)
                    windows(x, o, run, first + static_cast<Index>(o * b_.walk.inner.size() + run.begin),
                            finite);
        }
    }

private:
    static const double* numbers(const Tensor& t, Index first, Index count, std::vector<double>& room) {
        load(room, t, first, count, [](auto f, Bits b) {
            if constexpr (is_integer(f()))
                return 0.0;
            else
                return to_double(f(), b);
        });
        return room.data();
    }

    void windows(const double* x, std::size_t outer, const Walk::Run& run, Index at, bool finite) {
        const Walk::Outer& o = b_.walk.outer[outer];
        const Walk::Inner& first = b_.walk.inner[run.begin];
        if (finite) {
            most_.assign(run.count, -HUGE_VAL);
            for (std::size_t r = 0; r < o.rows; ++r)
                for (Index j = 0; j < first.counts.count; ++j)
                    raise_column(x + b_.walk.row_starts[o.first_row + r] + first.first + j * first.step,
                                 run.stride, run.count, most_.data());
        } else {
            most_.assign(run.count, 0);
        }
        const double* y = answers_.data() + outer * b_.walk.inner.size() + run.begin;
        std::size_t unequal = 0;
        for (std::size_t k = 0; k < run.count; ++k)
            unequal += y[k] != most_[k] || most_[k] == 0 || most_[k] == -HUGE_VAL ? 1 : 0;
        for (std::size_t k = 0; k < run.count && unequal > 0; ++k)
            if (y[k] != most_[k] || most_[k] == 0 || most_[k] == -HUGE_VAL)
                doubtful_.push_back(at + static_cast<Index>(k));
    }

    const Block& b_;
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    std::vector<Walk::Run> runs_;
    std::vector<double> x_, answers_, most_;
};

}  // namespace

bool screen_maxima(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    if (b.plan.mode != Mode::forward || is_integer(b.plan.format) || keeping_of(b).flushes ||
        b.pool.policy.max_padding == MaxPadding::zero)
        return false;
    MaximumScreen(b, answer, doubtful).run();
    return true;
}

}  // namespace poolproof::certified
