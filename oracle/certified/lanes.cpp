// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/lanes.hpp"

#include "oracle/certified/block.hpp"

namespace poolproof::certified {

namespace {

POOLPROOF_CLONES void widen(const std::uint8_t* __restrict from, std::size_t n, double* __restrict to) {
    for (std::size_t k = 0; k < n; ++k) {
        float x;
        std::memcpy(&x, from + k * sizeof x, sizeof x);
        to[k] = static_cast<double>(x);
    }
}

}  // namespace

template <class Number>
const Number* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                         std::vector<Number>& room) {
    constexpr Format own = sizeof(Number) == sizeof(double) ? Format::f64 : Format::f32;
    const auto n = static_cast<std::size_t>(count);
    const std::uint8_t* const at = t.data.data() + first * bytes(t.format);
    const auto left = static_cast<std::size_t>(t.size() - first);
    if (t.format == own && left >= n + beyond) return reinterpret_cast<const Number*>(at);
    if (room.size() < n + beyond) room.resize(n + beyond);
    if (t.format == own) {
        if (n > 0) std::memcpy(room.data(), at, n * sizeof(Number));
    } else if constexpr (own == Format::f64) {
        if (t.format == Format::f32)
            widen(at, n, room.data());
        else
            load_to(room.data(), t, first, count, [](auto f, Bits b) {
                if constexpr (is_integer(f()))
                    return 0.0;
                else
                    return to_double(f(), b);
            });
    }
    return room.data();
}
template const double* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                                  std::vector<double>& room);
template const float* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                                 std::vector<float>& room);

namespace {

/// Sums what of each number is 0 unless it is not finite.
template <class Number> POOLPROOF_INLINE bool all_finite_of(const Number* x, Index count) {
    using Row = typename FullRow<Number>::Type;
    constexpr std::size_t each = sizeof(Row) / sizeof(Number), parts = 4;
    const auto n = static_cast<std::size_t>(count);
    Row off[parts]{}, t;
    std::size_t k = 0;
    for (; k + parts * each <= n; k += parts * each) {
        for (std::size_t part = 0; part < parts; ++part) {
            const Number* const at = x + k + part * each;
            ReadAhead::ask(at);
            std::memcpy(&t, at, sizeof t);
            off[part] += t * 0;
        }
    }
    const Row all = (off[0] + off[1]) + (off[2] + off[3]);
    Number any = 0;
    for (std::size_t lane = 0; lane < each; ++lane) any += all[lane];
    for (; k < n; ++k) {
        Number one;
        std::memcpy(&one, x + k, sizeof one);
        any += one * 0;
    }
    return any == 0;
}

}  // namespace

POOLPROOF_CLONES bool all_finite(const double* x, Index count) { return all_finite_of(x, count); }
POOLPROOF_CLONES bool all_finite(const float* x, Index count) { return all_finite_of(x, count); }

}  // namespace poolproof::certified
