// SPDX-License-Identifier: Apache-2.0
// What the tests of the fast paths share: geometries around the sizes of vectors, values that tell one order
// of comparing from another, levels and layouts, and a walk over all taps.
#pragma once

#include <poolproof/reference.hpp>

#include "reference/level.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace poolproof::reference {

/// Sums that elements of T may have.
template <class T> std::vector<Sums> sums_of() {
    return sizeof(T) < sizeof(double) ? std::vector{Sums::wide, Sums::own} : std::vector{Sums::wide};
}

inline constexpr Level levels[] = {Level::baseline, Level::avx2, Level::avx512};

enum class Filling { normal, signed_zeros, nans, relu, lowest };
inline constexpr Filling fillings[] = {Filling::normal, Filling::signed_zeros, Filling::nans, Filling::relu,
                                       Filling::lowest};

template <class T> class FastCases : public testing::Test {
protected:
    ~FastCases() override { limit_level(Level::avx512); }

    std::vector<T> values(Index n, Filling f) {
        using Limits = std::numeric_limits<T>;
        std::vector<T> x(static_cast<std::size_t>(n));
        for (T& v : x) {
            const auto r = static_cast<int>(random_() % 64);
            v = static_cast<T>(static_cast<double>(random_()) * 0x1p-61 - 4);
            if (f == Filling::signed_zeros) v = r % 2 == 0 ? T{0} : -T{0};
            if (f == Filling::nans && r < 8)
                v = r < 4   ? payload(static_cast<unsigned>(r) + 1)
                    : r < 6 ? Limits::infinity()
                            : -Limits::infinity();
            if (f == Filling::relu && v < 0) v = r % 2 == 0 ? T{0} : -T{0};
            if (f == Filling::lowest) v = -Limits::infinity();
        }
        return x;
    }

    std::mt19937_64 random_{7};

private:
    static T payload(unsigned k) {
        if constexpr (sizeof(T) == 8)
            return std::bit_cast<T>(0x7ff8000000000000 + k);
        else
            return std::bit_cast<T>(0x7fc00000 + k);
    }
};

struct Formats {
    template <class T> static std::string GetName(int) { return sizeof(T) == 8 ? "Double" : "Float"; }
};
using FloatAndDouble = testing::Types<float, double>;

struct Shape {
    Index kernel, stride, pad, dilation;
};

inline constexpr Shape shapes[] = {{2, 2, 0, 1}, {3, 2, 1, 1}, {3, 1, 1, 1},  {2, 1, 0, 1},
                                   {3, 3, 0, 1}, {1, 2, 0, 1}, {5, 1, 2, 1},  {5, 3, 2, 1},
                                   {3, 1, 2, 2}, {7, 1, 3, 1}, {13, 1, 6, 1}, {4, 4, 0, 1}};

/// 0 outputs where the kernel does not fit.
inline Axis axis(const Shape& s, Index extent) {
    Axis a{extent, 0, false, s.kernel, s.stride, s.dilation, s.pad, s.pad};
    const Index room = extent + 2 * s.pad - s.dilation * (s.kernel - 1) - 1;
    if (room >= 0 && extent > 0) a.out = room / s.stride + 1;
    return a;
}

/// All geometries of the test, as planes: around the lanes of 2, 4, 8 and 16 in width.
inline std::vector<Pooling> geometries() {
    std::vector<Pooling> all;
    for (const Shape& s : shapes)
        for (const Index width : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 34, 65})
            all.push_back({.axes = {axis(s, 6 + width % 3), axis(s, width)}, .slices = 4});
    for (const Index width : {1, 7, 16, 33})
        for (const Index out : {1, 3, 7})
            all.push_back({.axes = {{.extent = 9, .out = out, .bins = true},
                                    {.extent = width, .out = out, .bins = true}},
                           .slices = 4});
    for (const Index out : {1, 2, 5, 20})  // with cells after the last window
        all.push_back({.axes = {{.extent = 26, .out = out, .kernel = 5, .pad_begin = 1},
                                {.extent = 40, .out = out, .kernel = 9, .pad_begin = 3}},
                       .slices = 4});
    for (const Index out : {1, 3, 12})
        all.push_back({.axes = {{.extent = 26, .out = out, .kernel = 3, .stride = 2, .pad_begin = 1},
                                {.extent = 25, .out = out, .kernel = 3, .stride = 2}},
                       .slices = 4});
    // Windows that tile planes, of which all, or two at a time, are one on top of the other.
    all.push_back({.axes = {axis(shapes[0], 8), axis(shapes[0], 32)}, .slices = 4});
    all.push_back({.axes = {axis(shapes[0], 48), axis(shapes[0], 60)}, .slices = 4});
    all.push_back({.axes = {axis(shapes[0], 4), axis(shapes[0], 6), axis(shapes[0], 16)}, .slices = 4});
    all.push_back({.axes = {axis({5, 5, 0, 1}, 10), axis({3, 3, 0, 1}, 12)}, .slices = 4});
    all.push_back({.axes = {{.extent = 9, .out = 3, .kernel = 2, .stride = 3},
                            {.extent = 12, .out = 4, .kernel = 2, .stride = 3}},
                   .slices = 4});
    all.push_back({.axes = {{.extent = 9, .out = 4, .bins = true}, {.extent = 8, .out = 4, .bins = true}},
                   .slices = 4});
    // Windows that would but for their padding, and rows of windows that do of unlike heights.
    all.push_back({.axes = {{.extent = 8, .out = 4, .kernel = 2, .stride = 2, .pad_begin = 1},
                            {.extent = 12, .out = 6, .kernel = 2, .stride = 2}},
                   .slices = 4});
    all.push_back({.axes = {axis(shapes[1], 11), axis(shapes[0], 16)}, .slices = 4});
    // So many rows in a window that they are asked for in pieces; one after the other, or some twice or not.
    for (const Index stride : {14, 15, 25, 26})
        all.push_back({.axes = {axis({25, stride, 0, 1}, 54), axis({3, 2, 1, 1}, 37)}, .slices = 4});
    for (const Shape& s : {shapes[0], shapes[1], shapes[2]}) {
        all.push_back({.axes = {axis(s, 33)}, .slices = 4});
        all.push_back({.axes = {axis(s, 5), axis(s, 6), axis(s, 17)}, .slices = 4});
        all.push_back({.axes = {axis(s, 3), axis(s, 4), axis(s, 3), axis(s, 9)}, .slices = 4});
    }
    return all;
}

inline Index inputs(const Pooling& p) {
    Index n = p.slices;
    for (const Axis& a : p.axes) n *= a.extent;
    return n;
}

inline Index outputs(const Pooling& p) {
    Index n = p.slices;
    for (const Axis& a : p.axes) n *= a.out;
    return n;
}

inline std::vector<Index> positions(const Axis& a, Index o) {
    std::vector<Index> at;
    if (a.bins) {
        for (Index i = o * a.extent / a.out; i < ((o + 1) * a.extent + a.out - 1) / a.out; ++i)
            at.push_back(i);
        return at;
    }
    for (Index k = 0; k < a.kernel; ++k) {
        const Index i = o * a.stride + k * a.dilation - a.pad_begin;
        if (i >= 0 && i < a.extent) at.push_back(i);
    }
    return at;
}

/// The positions of every window of a slice, row-major.
inline std::vector<std::vector<Index>> windows(const Pooling& p) {
    std::vector<std::vector<Index>> all{{0}};
    for (const Axis& a : p.axes) {
        std::vector<std::vector<Index>> finer;
        for (const auto& window : all)
            for (Index o = 0; o < a.out; ++o) {
                auto& w = finer.emplace_back();
                for (const Index outer : window)
                    for (const Index i : positions(a, o)) w.push_back(outer * a.extent + i);
            }
        all = std::move(finer);
    }
    return all;
}

/// The first winner of each window under p.nan, and where it is.
template <class T>
std::pair<std::vector<T>, std::vector<Index>> winners(const Pooling& p,
                                                      const std::vector<std::vector<Index>>& walk,
                                                      const std::vector<T>& x) {
    const Index in = inputs(p) / p.slices;
    std::vector<T> y;
    std::vector<Index> at;
    for (Index s = 0; s < p.slices; ++s)
        for (const auto& w : walk) {
            std::size_t best = 0;
            const auto value = [&](std::size_t k) { return x[static_cast<std::size_t>(s * in + w[k])]; };
            for (std::size_t k = 1; k < w.size(); ++k) {
                const bool old_nan = std::isnan(value(best)), new_nan = std::isnan(value(k));
                if (p.nan == Nan::first && !old_nan && (new_nan || value(k) > value(best))) best = k;
                if (p.nan == Nan::last && (new_nan || value(k) > value(best))) best = k;
                if (p.nan == Nan::ignore && !new_nan && (old_nan || value(k) > value(best))) best = k;
            }
            y.push_back(value(best));
            at.push_back(w[best]);
        }
    return {y, at};
}

/// The same tensor with its slices beside each other as channels.
template <class T> std::vector<T> interleaved(const std::vector<T>& x, Index channels, Index slices) {
    std::vector<T> r(x.size());
    const Index n = slices == 0 ? 0 : static_cast<Index>(x.size()) / slices;
    for (Index s = 0; s < slices; ++s)
        for (Index i = 0; i < n; ++i)
            r[static_cast<std::size_t>((s / channels * n + i) * channels + s % channels)] =
                x[static_cast<std::size_t>(s * n + i)];
    return r;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        const bool nan = std::isnan(a[k]) && std::isnan(b[k]);
        if (!nan && (a[k] != b[k] || std::signbit(a[k]) != std::signbit(b[k]))) return false;
    }
    return a.size() == b.size();
}

inline std::string name(const Pooling& p) {
    std::string s;
    for (const Axis& a : p.axes)
        s += " [" + std::to_string(a.extent) + " to " + std::to_string(a.out) + ", k" +
             std::to_string(a.kernel) + " s" + std::to_string(a.stride) + " p" + std::to_string(a.pad_begin) +
             " d" + std::to_string(a.dilation) + (a.bins ? " bins]" : "]");
    return s;
}

/// Calls check(p, layout's view) for each level, layout and number of threads.
template <class F> void everywhere(Pooling p, F check) {
    for (const Level l : levels) {
        limit_level(l);
        for (const Index channels : {0, 2, 4}) {
            p.layout = channels == 0 ? Layout::planes : Layout::channels_last;
            p.channels = std::max<Index>(channels, 1);
            p.threads = channels == 2 ? 2 : 1;
            check(p);
            ASSERT_FALSE(testing::Test::HasFailure())
                << name(p) << " level " << static_cast<int>(l) << " channels " << channels;
        }
    }
}

}  // namespace poolproof::reference
