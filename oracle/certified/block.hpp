// SPDX-License-Identifier: Apache-2.0
// A run of slices on its way through the certified path: what it is computed from, and what was found.
#pragma once

#include "oracle/certified/walk.hpp"

#include <poolproof/expected.hpp>

#include <algorithm>

namespace poolproof::certified {

struct Block {
    const Plan& plan;
    const PoolPlan& pool;
    const Case& c;
    Slices slices;
    const Walk& walk;
    bool correctly_rounded;  ///< the only permitted answer is the exact one, rounded

    std::vector<Permitted>& values;                      ///< of the block
    std::vector<PermittedIndices>* positions = nullptr;  ///< likewise, where they are asked for
    std::vector<Index>& uncertain;               ///< values of the block that are left to the exact oracle
    Index& refined;                              ///< values that took finer exponentials
    const std::vector<Index>* wanted = nullptr;  ///< the only values that must be found; all if null

    /// Calls `use` for the wanted values of the k-th slice, of which there are `each`, ascending.
    template <class Use> void for_each_wanted(Index k, Index each, Use use) const {
        if (wanted == nullptr) {
            for (Index at = k * each; at < (k + 1) * each; ++at) use(at);
            return;
        }
        for (auto at = std::lower_bound(wanted->begin(), wanted->end(), k * each);
             at != wanted->end() && *at < (k + 1) * each; ++at)
            use(*at);
    }

    /// Whether so few values of the k-th slice are wanted that their cells alone are worth looking at.
    bool few_wanted(Index k, Index each) const {
        if (wanted == nullptr) return false;
        Index n = 0;
        for_each_wanted(k, each, [&](Index) { ++n; });
        return n * 64 < each;
    }

    /// The pattern of a cell of the k-th slice of the block, counted in the whole tensor.
    Index first_cell(Index k) const { return (slices.first + k) * walk.cells; }
    Index first_out(Index k) const { return (slices.first + k) * walk.outs; }
};

void max_sets(Block& b);
void average_sets(Block& b);
void integer_mean_sets(Block& b);
void smooth_max_sets(Block& b);

/// How many cells of padding take part in a smooth maximum [SPad].
double padded_cells(const Block& b, const Walk::Outer& o, const Walk::Inner& i);

/// See `poolproof::screen`.
bool smooth_max_screen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful);
bool screen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful);

/// The same for some reductions and modes.
bool screen_maxima(const Block& b, const Tensor& answer, std::vector<Index>& doubtful);
bool screen_max_derivatives(const Block& b, const Tensor& answer, std::vector<Index>& doubtful);
bool screen_averages(const Block& b, const Tensor& answer, std::vector<Index>& doubtful);
bool screen_mean_gradients(const Block& b, const Tensor& answer, std::vector<Index>& doubtful);

/// The value of a window without a real cell [WEmpty].
Permitted empty_set(const Block& b);

/// The value of a pattern of a floating format, NaN and infinities as they are.
constexpr double to_double(Format f, Bits b) {
    if (f == Format::f64) return std::bit_cast<double>(b);
    const int digits = precision(f) - 1;
    const Bits m = magnitude(f, b);
    double v;
    if (m >= infinity_bits(f))
        v = std::bit_cast<double>((m - infinity_bits(f)) << (52 - digits) | Bits{0x7ff} << 52);
    else if (m >> digits == 0)
        v = static_cast<double>(m) * std::bit_cast<double>(static_cast<Bits>(1023 + min_exponent(f)) << 52);
    else
        v = std::bit_cast<double>((m << (52 - digits)) + (static_cast<Bits>(1023 - max_exponent(f)) << 52));
    return is_negative(f, b) ? -v : v;
}

/// Calls `use(i, pattern)` for `count` patterns from `first` on. `Word` is an unsigned integer of their
/// width.
template <class Word, class Use> void for_each_word(const Tensor& t, Index first, Index count, Use use) {
    const std::uint8_t* at = t.data.data() + first * static_cast<Index>(sizeof(Word));
    for (Index i = 0; i < count; ++i, at += sizeof(Word)) {
        Word w;
        std::memcpy(&w, at, sizeof w);
        use(static_cast<std::size_t>(i), Bits{w});
    }
}

/// Fills `to` with `convert(format, pattern)`, where the format is a constant of the compiler's.
template <class To, class Convert>
void load_to(To* to, const Tensor& t, Index first, Index count, Convert convert) {
    const auto as = [&]<class Word, Format f>(Word) {
        for_each_word<Word>(t, first, count, [&](std::size_t i, Bits b) {
            to[i] = convert(std::integral_constant<Format, f>{}, b);
        });
    };
    switch (t.format) {
        case Format::f64: as.template operator()<std::uint64_t, Format::f64>(0); break;
        case Format::f32: as.template operator()<std::uint32_t, Format::f32>(0); break;
        case Format::f16: as.template operator()<std::uint16_t, Format::f16>(0); break;
        case Format::bf16: as.template operator()<std::uint16_t, Format::bf16>(0); break;
        case Format::i8: as.template operator()<std::uint8_t, Format::i8>(0); break;
        case Format::u8: as.template operator()<std::uint8_t, Format::u8>(0); break;
        case Format::i32: as.template operator()<std::uint32_t, Format::i32>(0); break;
        case Format::i64: as.template operator()<std::uint64_t, Format::i64>(0); break;
    }
}

template <class To, class Convert>
void load(std::vector<To>& to, const Tensor& t, Index first, Index count, Convert convert) {
    to.resize(static_cast<std::size_t>(count));
    load_to(to.data(), t, first, count, convert);
}

}  // namespace poolproof::certified
