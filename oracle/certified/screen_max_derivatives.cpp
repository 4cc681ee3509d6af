// SPDX-License-Identifier: Apache-2.0
// The short way for derivatives of maxima: a tangent is a copy of the winner's, and a cell's gradient the sum
// of the cotangents of the windows that it wins. What is added in the order of the windows is a sum like
// another; where an answer is not that, it is compared as other sums are.
#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

namespace {

/// Memory that one call leaves to the next.
struct Room {
    std::vector<double> input, direction, answers, marked_answers, doubt, sums;
    std::vector<float> narrow_sums;
    std::vector<std::int32_t> winners;
    std::vector<std::size_t> marked;
    std::vector<std::int32_t> place;  ///< of a cell among those that are marked
    std::vector<Index> taps;
    PairSums pairs;

    static Room& own() {
        thread_local Room r;
        return r;
    }
};

/// Windows over a slice: the k-th sees the cells at offset + k stride.
struct CellWindows {
    std::span<const Index> offsets;
    Index stride = 1;
    std::size_t count = 0;
};

/// Which of several greatest cells wins, if one does.
enum class Winner : std::uint8_t { first, last, alone };

/// The winning cells of windows, the last of which are made up, up to a whole number of lanes; false if some
/// greatest cell is not alone and none of them wins, or is 0 and zeros are told apart.
template <Winner which>
POOLPROOF_INLINE bool find_winners(const double* x, const CellWindows& w, bool zeros_apart,
                                   std::int32_t* winners) {
    using Whole = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));
    const Lanes zero{}, one = zero + 1;
    Whole place{0, 1, 2, 3, 4, 5, 6, 7};
    place *= static_cast<std::int32_t>(w.stride);
    bool all = true;
    for (std::size_t k = 0; k < w.count; k += lanes) {
        Lanes most = zero - HUGE_VAL, winner{}, ties{}, t{};
        const Index moved = static_cast<Index>(k) * w.stride;
        for (const Index offset : w.offsets) {
            load_lanes(x + offset + moved, w.stride, t);
            const auto at = static_cast<double>(offset + moved);
            if (which == Winner::alone) {
                ties += t == most ? one : zero;
                ties *= t > most ? zero : one;
            }
            winner =
                which == Winner::last ? (t >= most ? zero + at : winner) : (t > most ? zero + at : winner);
            most = most > t ? most : t;
        }
        const Whole cells = __builtin_convertvector(winner, Whole) + place;
        std::memcpy(winners + k, &cells, sizeof cells);
        if (zeros_apart) ties += most == 0 ? one : zero;
        if (!zeros_apart && which != Winner::alone) continue;
        for (std::size_t lane = 0; lane < std::min(lanes, w.count - k); ++lane) all &= ties[lane] == 0;
    }
    return all;
}

POOLPROOF_CLONES bool first_winners(const double* x, const CellWindows& w, bool apart, std::int32_t* to) {
    return find_winners<Winner::first>(x, w, apart, to);
}
POOLPROOF_CLONES bool last_winners(const double* x, const CellWindows& w, bool apart, std::int32_t* to) {
    return find_winners<Winner::last>(x, w, apart, to);
}
POOLPROOF_CLONES bool lone_winners(const double* x, const CellWindows& w, bool apart, std::int32_t* to) {
    return find_winners<Winner::alone>(x, w, apart, to);
}

/// Whether an answer is this sum, and finite.
template <class Number> POOLPROOF_INLINE bool equal(const Number* y, Number sum) {
    Number answer;
    std::memcpy(&answer, y, sizeof answer);
    return answer == sum && std::fabs(sum) < HUGE_VAL;
}

/// The same for all of them.
template <class Number>
POOLPROOF_INLINE bool all_equal_of(const Number* y, const Number* sums, std::size_t n) {
    const Lanes zero{}, one = zero + 1;
    Lanes off{}, a, b;
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        load_row(y + k, a);
        load_row(sums + k, b);
        off += (a == b ? zero : one) + b * 0;
    }
    double any = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) any += off[lane];
    for (; k < n; ++k) any += equal(y + k, sums[k]) ? 0 : 1;
    return any == 0;
}
POOLPROOF_CLONES bool all_equal(const double* y, const double* sums, std::size_t n) {
    return all_equal_of(y, sums, n);
}
POOLPROOF_CLONES bool all_equal(const float* y, const float* sums, std::size_t n) {
    return all_equal_of(y, sums, n);
}

class MaxDerivativeScreen {
public:
    MaxDerivativeScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b),
          answer_(answer),
          doubtful_(doubtful),
          keeping_(keeping_of(b)),
          runs_(b.walk.runs()),
          backward_(b.plan.mode == Mode::vjp),
          answers_ahead_(answer) {
        for (const Walk::Run& run : runs_) beyond_ = std::max(beyond_, static_cast<std::size_t>(run.stride));
        beyond_ *= lanes_beyond;
        terms_ = backward_ ? b.walk.most_windows(b.pool.axes.back().extent) : 1;
        limits_ = limits_of(keeping_, {}, terms_);
        room_.winners.resize(static_cast<std::size_t>(b.walk.outs) + lanes);
    }

    void run() {
        const Index each = backward_ ? b_.walk.cells : b_.walk.outs;
        for (Index k = 0; k < b_.slices.count; ++k) {
            const Index first = (b_.slices.first + k) * each;
            if (!winners(k))
                for (Index at = 0; at < each; ++at) doubtful_.push_back(first + at);
            else if (backward_)
                gradients(first);
            else
                tangents(first);
        }
    }

private:
    /// Finds each window's winner, and loads what it takes with it; false where not all of that is plain.
    bool winners(Index k) {
        const Walk& walk = b_.walk;
        const double* const x = numbers_at(b_.c.input, b_.first_cell(k), walk.cells, beyond_, room_.input);
        const Tensor& direction = backward_ ? *b_.c.cotangent : *b_.c.tangent;
        const Index first = backward_ ? b_.first_out(k) : b_.first_cell(k),
                    count = backward_ ? walk.outs : walk.cells;
        t_ = numbers_at(direction, first, count, 0, room_.direction);
        if (!(limits_.least < HUGE_VAL) || !all_finite(x, walk.cells) || !all_finite(t_, count)) return false;
        const auto find = b_.pool.policy.ties == Ties::first  ? first_winners
                          : b_.pool.policy.ties == Ties::last ? last_winners
                                                              : lone_winners;
        const bool apart = b_.pool.policy.signed_zero == SignedZero::positive;
        std::int32_t* to = room_.winners.data();
        for (const Walk::Outer& o : walk.outer)
            for (const Walk::Run& run : runs_) {
                const Walk::Inner& i = walk.inner[run.begin];
                room_.taps.clear();
                walk.for_each_tap(o, i, [&](Index tap) { room_.taps.push_back(tap); });
                if (room_.taps.empty() || !find(x, {room_.taps, run.stride, run.count}, apart, to))
                    return false;
                to += run.count;
            }
        return true;
    }

    void tangents(Index first) {
        const double* const y = numbers_at(answer_, first, b_.walk.outs, 0, room_.answers);
        for (Index out = 0; out < b_.walk.outs; ++out)
            if (!(y[out] == t_[room_.winners[static_cast<std::size_t>(out)]]))
                doubtful_.push_back(first + out);
    }

    /// Calls `use(cell, cotangent)` for every window.
    template <class Use> void for_each_winner(Use use) const {
        for (Index out = 0; out < b_.walk.outs; ++out)
            use(static_cast<std::size_t>(room_.winners[static_cast<std::size_t>(out)]), t_[out]);
    }

    /// Marks the cells whose answers are not the sums that additions in the answer's own format give.
    template <class Number> void mark_others(Index first, std::vector<Number>& sums) {
        const auto n = static_cast<std::size_t>(b_.walk.cells);
        sums.assign(n, 0);
        for_each_winner([&](std::size_t cell, double g) { sums[cell] += static_cast<Number>(g); });
        const auto* const y =
            reinterpret_cast<const Number*>(answer_.data.data() + first * bytes(answer_.format));
        constexpr std::size_t some = 128;
        for (std::size_t begin = 0; begin < n; begin += some) {
            const std::size_t end = std::min(begin + some, n);
            answers_ahead_.reading(y + begin);
            if (all_equal(y + begin, sums.data() + begin, end - begin)) continue;
            for (std::size_t cell = begin; cell < end; ++cell)
                if (!equal(y + cell, sums[cell])) room_.marked.push_back(cell);
        }
    }

    void gradients(Index first) {
        room_.marked.clear();
        const bool plain = !keeping_.exactly && !keeping_.wider();
        if (plain && b_.plan.format == Format::f64)
            mark_others(first, room_.sums);
        else if (plain && b_.plan.format == Format::f32)
            mark_others(first, room_.narrow_sums);
        else
            for (Index cell = 0; cell < b_.walk.cells; ++cell)
                room_.marked.push_back(static_cast<std::size_t>(cell));
        if (!room_.marked.empty()) look_again(first);
    }

    /// Sums the cotangents of marked cells by pairs.
    void look_again(Index first) {
        const std::size_t n = room_.marked.size();
        room_.place.assign(static_cast<std::size_t>(b_.walk.cells), -1);
        room_.marked_answers.resize(n + lanes);
        room_.doubt.resize(n + lanes);
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t cell = room_.marked[k];
            room_.place[cell] = static_cast<std::int32_t>(k);
            room_.marked_answers[k] = to_double(answer_.format, answer_[first + static_cast<Index>(cell)]);
        }
        room_.pairs.clear(n);
        for_each_winner([&](std::size_t cell, double g) {
            if (const std::int32_t at = room_.place[cell]; at >= 0)
                room_.pairs.add(&g, 1, static_cast<std::size_t>(at), 0);
        });
        if (!doubt_sums(room_.pairs, room_.marked_answers.data(), limits_, room_.doubt.data())) return;
        for (std::size_t k = 0; k < n; ++k)
            if (room_.doubt[k] != 0) doubtful_.push_back(first + static_cast<Index>(room_.marked[k]));
    }

    const Block& b_;
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    Keeping keeping_;
    std::vector<Walk::Run> runs_;
    bool backward_;
    std::size_t beyond_ = 1;
    Index terms_ = 1;
    Limits limits_;
    Room& room_ = Room::own();
    ReadAhead answers_ahead_;
    const double* t_ = nullptr;  ///< the slice's tangents or cotangents
};

}  // namespace

bool screen_max_derivatives(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    const Policy& p = b.pool.policy;
    if (b.walk.outs == 0 || keeping_of(b).flushes || p.max_padding == MaxPadding::zero ||
        p.ties == Ties::any || p.ties == Ties::convex)
        return false;
    MaxDerivativeScreen(b, answer, doubtful).run();
    return true;
}

}  // namespace poolproof::certified
