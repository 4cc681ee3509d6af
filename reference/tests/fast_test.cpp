// SPDX-License-Identifier: Apache-2.0
// The fast paths against a walk over all taps, on sizes around those of vectors, at every level that the
// machine has, in both layouts and on two threads; with values that tell one order of comparing from another.
#include <poolproof/reference.hpp>

#include "reference/level.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace poolproof::reference {
namespace {

constexpr Level levels[] = {Level::baseline, Level::avx2, Level::avx512};

enum class Filling { normal, signed_zeros, nans, relu, lowest };
constexpr Filling fillings[] = {Filling::normal, Filling::signed_zeros, Filling::nans, Filling::relu,
                                Filling::lowest};

template <class T> class Fast : public testing::Test {
protected:
    ~Fast() override { limit_level(Level::avx512); }

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
TYPED_TEST_SUITE(Fast, FloatAndDouble, Formats);

struct Shape {
    Index kernel, stride, pad, dilation;
};

constexpr Shape shapes[] = {{2, 2, 0, 1}, {3, 2, 1, 1}, {3, 1, 1, 1},  {2, 1, 0, 1},
                            {3, 3, 0, 1}, {1, 2, 0, 1}, {5, 1, 2, 1},  {5, 3, 2, 1},
                            {3, 1, 2, 2}, {7, 1, 3, 1}, {13, 1, 6, 1}, {4, 4, 0, 1}};

/// 0 outputs where the kernel does not fit.
Axis axis(const Shape& s, Index extent) {
    Axis a{extent, 0, false, s.kernel, s.stride, s.dilation, s.pad, s.pad};
    const Index room = extent + 2 * s.pad - s.dilation * (s.kernel - 1) - 1;
    if (room >= 0 && extent > 0) a.out = room / s.stride + 1;
    return a;
}

/// All geometries of the test, as planes: around the lanes of 2, 4, 8 and 16 in width.
std::vector<Pooling> geometries() {
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
    for (const Shape& s : {shapes[0], shapes[1], shapes[2]}) {
        all.push_back({.axes = {axis(s, 33)}, .slices = 4});
        all.push_back({.axes = {axis(s, 5), axis(s, 6), axis(s, 17)}, .slices = 4});
        all.push_back({.axes = {axis(s, 3), axis(s, 4), axis(s, 3), axis(s, 9)}, .slices = 4});
    }
    return all;
}

Index inputs(const Pooling& p) {
    Index n = p.slices;
    for (const Axis& a : p.axes) n *= a.extent;
    return n;
}

Index outputs(const Pooling& p) {
    Index n = p.slices;
    for (const Axis& a : p.axes) n *= a.out;
    return n;
}

std::vector<Index> positions(const Axis& a, Index o) {
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
std::vector<std::vector<Index>> windows(const Pooling& p) {
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

std::string name(const Pooling& p) {
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

TYPED_TEST(Fast, MaximaAreTheFirstWinnersOfAPlainWalk) {
    using T = TypeParam;
    for (Pooling p : geometries()) {
        const auto walk = windows(p);
        const Index in = inputs(p) / p.slices;
        for (const Filling f : fillings)
            for (const Nan nan : {Nan::first, Nan::last, Nan::ignore}) {
                p.nan = nan;
                const auto x = this->values(inputs(p), f);
                std::vector<T> y;
                std::vector<Index> at;
                for (Index s = 0; s < p.slices; ++s)
                    for (const auto& w : walk) {
                        std::size_t best = 0;
                        const auto value = [&](std::size_t k) {
                            return x[static_cast<std::size_t>(s * in + w[k])];
                        };
                        for (std::size_t k = 1; k < w.size(); ++k) {
                            const bool old_nan = std::isnan(value(best)), new_nan = std::isnan(value(k));
                            if (nan == Nan::first && !old_nan && (new_nan || value(k) > value(best)))
                                best = k;
                            if (nan == Nan::last && (new_nan || value(k) > value(best))) best = k;
                            if (nan == Nan::ignore && !new_nan && (old_nan || value(k) > value(best)))
                                best = k;
                        }
                        y.push_back(value(best));
                        at.push_back(w[best]);
                    }
                everywhere(p, [&](const Pooling& q) {
                    const bool planes = q.layout == Layout::planes;
                    const auto from = planes ? x : interleaved(x, q.channels, q.slices);
                    std::vector<T> alone(y.size(), T{99}), indexed = alone;
                    std::vector<Index> indices(at.size(), 99);
                    max_forward<T>(q, from, alone);
                    max_forward<T>(q, from, indexed, indices);
                    EXPECT_TRUE(same_bits(alone, planes ? y : interleaved(y, q.channels, q.slices)));
                    EXPECT_TRUE(same_bits(indexed, alone));
                    // Of NaNs alone, which are passed over, none is the winner.
                    const auto expected = planes ? at : interleaved(at, q.channels, q.slices);
                    EXPECT_TRUE(indices == expected || (nan == Nan::ignore && f == Filling::nans));
                });
                if (testing::Test::HasFailure()) return;
            }
    }
}

TYPED_TEST(Fast, GradientsOfMaximaGoToTheWinners) {
    using T = TypeParam;
    for (const Pooling& p : geometries()) {
        const auto x = this->values(inputs(p), Filling::relu);
        // Whole numbers, so that the order of a sum does not show.
        std::vector<T> c(static_cast<std::size_t>(outputs(p))), y = c, t = x;
        for (T& v : c) v = static_cast<T>(this->random_() % 16);
        std::vector<Index> at(c.size());
        limit_level(Level::baseline);
        max_forward<T>(p, x, y, at);
        std::vector<T> dx(x.size()), dy(c.size());
        const Index in = inputs(p) / p.slices, out = outputs(p) / p.slices;
        for (Index o = 0; o < outputs(p); ++o) {
            const auto k = static_cast<std::size_t>(o);
            const auto i = static_cast<std::size_t>(o / out * in + at[k]);
            dx[i] += c[k];
            dy[k] = t[i];
        }
        everywhere(p, [&](const Pooling& q) {
            const auto seen = [&](const auto& v) {
                return q.layout == Layout::planes ? v : interleaved(v, q.channels, q.slices);
            };
            std::vector<T> got(x.size(), T{99}), given = got, pushed(c.size(), T{99});
            max_vjp<T>(q, seen(x), seen(c), got);
            max_vjp_at<T>(q, seen(at), seen(c), given);
            max_jvp<T>(q, seen(x), seen(t), pushed);
            EXPECT_EQ(got, seen(dx));
            EXPECT_EQ(given, seen(dx));
            EXPECT_EQ(pushed, seen(dy));
        });
        if (testing::Test::HasFailure()) return;
    }
}

TYPED_TEST(Fast, GradientsGoToAnyIndicesThatAreGiven) {
    using T = TypeParam;
    for (const Pooling& p : geometries()) {
        const Index in = inputs(p) / p.slices, out = outputs(p) / p.slices;
        if (in == 0) continue;
        std::vector<Index> at(static_cast<std::size_t>(outputs(p)));
        std::vector<T> c(at.size()), dx(static_cast<std::size_t>(inputs(p)));
        // In some slices all over the place, in others nowhere.
        for (std::size_t o = 0; o < at.size(); ++o) {
            const auto slice = static_cast<Index>(o) / out;
            at[o] = slice == 1 ? -1
                               : static_cast<Index>(this->random_() % static_cast<std::uint64_t>(in + 1)) - 1;
            c[o] = static_cast<T>(this->random_() % 16);
            if (at[o] >= 0) dx[static_cast<std::size_t>(slice * in + at[o])] += c[o];
        }
        everywhere(p, [&](const Pooling& q) {
            const auto seen = [&](const auto& v) {
                return q.layout == Layout::planes ? v : interleaved(v, q.channels, q.slices);
            };
            std::vector<T> got(dx.size(), T{99});
            max_vjp_at<T>(q, seen(at), seen(c), got);
            EXPECT_EQ(got, seen(dx));
        });
        if (testing::Test::HasFailure()) return;
        at.assign(at.size(), in);
        std::vector<T> untouched(dx.size(), T{99});
        if (!at.empty()) { EXPECT_THROW(max_vjp_at<T>(p, at, c, untouched), std::invalid_argument); }
        EXPECT_EQ(untouched, std::vector<T>(dx.size(), T{99}));
    }
}

TYPED_TEST(Fast, AveragesAndTheirGradientsAreThoseOfAPlainWalk) {
    using T = TypeParam;
    for (Pooling p : geometries())
        for (const Taps taps : {Taps::kernel, Taps::real}) {
            p.taps = taps;
            const auto walk = windows(p);
            const Index in = inputs(p) / p.slices;
            // Whole numbers again: the sums are exact, and so is what they are compared with.
            std::vector<T> x(static_cast<std::size_t>(inputs(p))), y, dx(x.size());
            std::vector<double> gradient(x.size());
            for (T& v : x) v = static_cast<T>(this->random_() % 64);
            double taps_in_all = 1;
            for (const Axis& a : p.axes) taps_in_all *= static_cast<double>(a.kernel);
            const bool bins = p.axes[0].bins;
            std::vector<T> c(static_cast<std::size_t>(outputs(p)));
            for (T& v : c) v = static_cast<T>(this->random_() % 16);
            for (Index s = 0; s < p.slices; ++s)
                for (const auto& w : walk) {
                    const double divisor =
                        taps == Taps::real || bins ? static_cast<double>(w.size()) : taps_in_all;
                    double sum = 0;
                    for (const Index i : w) {
                        sum += static_cast<double>(x[static_cast<std::size_t>(s * in + i)]);
                        gradient[static_cast<std::size_t>(s * in + i)] +=
                            static_cast<double>(c[y.size()]) / divisor;
                    }
                    y.push_back(static_cast<T>(sum / divisor));
                }
            everywhere(p, [&](const Pooling& q) {
                const auto seen = [&](const auto& v) {
                    return q.layout == Layout::planes ? v : interleaved(v, q.channels, q.slices);
                };
                std::vector<T> got(y.size(), T{99}), pulled(x.size(), T{99});
                average_forward<T>(q, seen(x), got);
                average_vjp<T>(q, seen(c), pulled);
                EXPECT_EQ(got, seen(y));
                const auto expected = seen(gradient);
                for (std::size_t i = 0; i < pulled.size(); ++i)
                    EXPECT_NEAR(pulled[i], expected[i],
                                16 * std::numeric_limits<T>::epsilon() * (1 + expected[i]));
            });
            if (testing::Test::HasFailure()) return;
        }
}

TYPED_TEST(Fast, LargeOutputsAreStreamedWhole) {
    using T = TypeParam;
    // More than 8 MiB each way, at an odd address and with rows that are no multiple of a line.
    const Pooling p{.axes = {{.extent = 131, .out = 131, .kernel = 3, .pad_begin = 1, .pad_end = 1},
                             {.extent = 127, .out = 127, .kernel = 3, .pad_begin = 1, .pad_end = 1}},
                    .slices = 150,
                    .threads = 2};
    std::vector<T> x(static_cast<std::size_t>(inputs(p)));
    for (T& v : x) v = static_cast<T>(this->random_() % 64);
    std::vector<T> large(x.size() + 3, T{99}), small(x.size() / 150);
    const std::span<T> y(large.data() + 1, x.size());
    Pooling one = p;
    one.slices = one.threads = 1;
    const auto compare = [&](auto run) {
        run(p, std::span<const T>(x), y);
        for (std::size_t s = 0; s < 150; ++s) {
            run(one, std::span<const T>(x).subspan(s * small.size(), small.size()), std::span<T>(small));
            ASSERT_TRUE(
                std::equal(small.begin(), small.end(), y.begin() + static_cast<Index>(s * small.size())));
        }
        EXPECT_EQ(large.front(), 99);
        EXPECT_EQ(large.back(), 99);
    };
    compare([](const Pooling& q, std::span<const T> a, std::span<T> b) { average_forward<T>(q, a, b); });
    compare([](const Pooling& q, std::span<const T> a, std::span<T> b) { average_vjp<T>(q, a, b); });
    compare([](const Pooling& q, std::span<const T> a, std::span<T> b) { max_forward<T>(q, a, b); });
    compare([](const Pooling& q, std::span<const T> a, std::span<T> b) { max_vjp<T>(q, a, a, b); });
}

TEST(ReferencePooling, RefusesChannelsThatDoNotDivideTheSlicesAndThreadsBelowOne) {
    std::vector<double> x(3), y(3);
    Pooling p{.axes = {{}}, .slices = 3, .layout = Layout::channels_last, .channels = 2};
    EXPECT_THROW(max_forward<double>(p, x, y), std::invalid_argument);
    p.channels = 0;
    EXPECT_THROW(max_forward<double>(p, x, y), std::invalid_argument);
    p.channels = 3;
    max_forward<double>(p, x, y);
    p.threads = 0;
    EXPECT_THROW(max_forward<double>(p, x, y), std::invalid_argument);
}

}  // namespace
}  // namespace poolproof::reference
