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

const double* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                         std::vector<double>& room) {
    const auto n = static_cast<std::size_t>(count);
    const std::uint8_t* const at = t.data.data() + first * bytes(t.format);
    const auto left = static_cast<std::size_t>(t.size() - first);
    if (t.format == Format::f64 && left >= n + beyond) return reinterpret_cast<const double*>(at);
    if (t.format != Format::f64 && t.format != Format::f32)
        load(room, t, first, count, [](auto f, Bits b) {
            if constexpr (is_integer(f()))
                return 0.0;
            else
                return to_double(f(), b);
        });
    if (room.size() < n + beyond) room.resize(n + beyond);
    if (t.format == Format::f64 && n > 0) std::memcpy(room.data(), at, n * sizeof(double));
    if (t.format == Format::f32) widen(at, n, room.data());
    return room.data();
}

POOLPROOF_CLONES bool all_finite(const double* x, Index count) {
    const auto n = static_cast<std::size_t>(count);
    Lanes off[2]{}, t{};
    std::size_t k = 0;
    for (; k + 2 * lanes <= n; k += 2 * lanes) {
        for (std::size_t part = 0; part < 2; ++part) {
            load_row(x + k + part * lanes, t);
            off[part] += t * 0;
        }
    }
    off[0] += off[1];
    double any = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) any += off[0][lane];
    for (; k < n; ++k) {
        double one;
        std::memcpy(&one, x + k, sizeof one);
        any += one * 0;
    }
    return any == 0;
}

}  // namespace poolproof::certified
