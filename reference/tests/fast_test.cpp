// SPDX-License-Identifier: Apache-2.0
// The fast paths against a walk over all taps, on sizes around those of vectors, at every level that the
// machine has, in both layouts and on two threads.
#include "reference/tests/fast_cases.hpp"

#include <array>
#include <utility>

namespace poolproof::reference {
namespace {

template <class T> class Fast : public FastCases<T> {};

TYPED_TEST_SUITE(Fast, FloatAndDouble, Formats);

TYPED_TEST(Fast, MaximaAreTheFirstWinnersOfAPlainWalk) {
    using T = TypeParam;
    for (Pooling p : geometries()) {
        const auto walk = windows(p);
        for (const Filling f : fillings)
            for (const Nan nan : {Nan::first, Nan::last, Nan::ignore}) {
                p.nan = nan;
                const auto x = this->values(inputs(p), f);
                const auto won = winners(p, walk, x);
                const auto& y = won.first;
                const auto& at = won.second;
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

TYPED_TEST(Fast, MaximaAreThoseOfAPlainWalkForEveryStride) {
    using T = TypeParam;
    const auto check = [&](Pooling p) {
        const auto walk = windows(p);
        for (const Filling f : fillings) {
            p.nan = std::array{Nan::first, Nan::last, Nan::ignore}[this->random_() % 3];
            auto x = this->values(inputs(p), f);
            // One that has another rule; and zeros of both signs above others, so that their order shows.
            if (f == Filling::normal) x[this->random_() % x.size()] = std::numeric_limits<T>::quiet_NaN();
            if (f == Filling::lowest)
                for (T& v : x)
                    if (const auto r = this->random_() % 8; r < 2) v = r == 0 ? T{0} : -T{0};
            const auto y = winners(p, walk, x).first;
            for (const Level l : levels) {
                limit_level(l);
                std::vector<T> got(y.size() + 1, T{99});
                max_forward<T>(p, x, std::span(got).first(y.size()));
                EXPECT_EQ(got.back(), 99);
                got.pop_back();
                ASSERT_TRUE(same_bits(got, y)) << name(p) << " level " << static_cast<int>(l);
            }
        }
    };
    for (Index stride = 1; stride <= 5; ++stride)
        for (Index kernel = 2; kernel <= 9; ++kernel)
            for (Index pad = 0; pad < kernel; pad += 1 + kernel / 4)
                for (const Index width : {9, 16, 31, 48, 65, 70}) {
                    const Shape shape{kernel, stride, pad, 1};
                    const Axis heights[] = {axis({3, 2, 1, 1}, 7), axis({2, 3, 0, 1}, 5),
                                            axis({3, 1, 1, 2}, 6), axis(shape, 10)};
                    Pooling p{.axes = {heights[this->random_() % 4], axis(shape, width)}, .slices = 2};
                    if (p.axes[0].out < 1 || p.axes[1].out < 1) continue;
                    check(p);
                    if (this->HasFatalFailure()) return;
                    // Cells after the last window.
                    if (p.axes[1].out > 8) p.axes[1].out -= 7;
                    check(p);
                    if (this->HasFatalFailure()) return;
                }
    // As wide as registers and wider, apart and as bins.
    for (const Index kernel : {8, 15, 16, 17, 40})
        for (const Index stride : {4, 16, 20})
            for (const Index pad : {0, 3}) {
                check({.axes = {axis({2, 2, 0, 1}, 6), axis({kernel, stride, pad, 1}, 90)}, .slices = 2});
                if (this->HasFatalFailure()) return;
            }
    for (const Index bins : {1, 2, 3, 5, 7}) {
        check({.axes = {{.extent = 21, .out = bins, .bins = true}, {.extent = 68, .out = bins, .bins = true}},
               .slices = 2});
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(Fast, PlanesThatComeFromFarAreAsTheyAreOneByOne) {
    using T = TypeParam;
    for (const Shape& s : {Shape{2, 2, 0, 1}, Shape{3, 2, 1, 1}, Shape{3, 3, 0, 1}, Shape{3, 3, 1, 1}})
        for (const Index width : {130, 192}) {
            constexpr Index slices = 24;
            Pooling p{.axes = {axis(s, 126), axis(s, width)}, .slices = slices};
            if (sizeof(T) < sizeof(double)) p.sums = Sums::own;
            const auto x = this->values(inputs(p), Filling::relu),
                       c = this->values(outputs(p), Filling::normal);
            Pooling one = p;
            one.slices = 1;
            const std::size_t in = x.size() / slices, out = c.size() / slices;
            for (const Level l : levels) {
                limit_level(l);
                std::vector<T> best(c.size()), mean(c.size()), spread(x.size());
                max_forward<T>(p, x, best);
                average_forward<T>(p, x, mean);
                average_vjp<T>(p, c, spread);
                std::vector<T> best_one(c.size()), mean_one(c.size()), spread_one(x.size());
                for (std::size_t k = 0; k < slices; ++k) {
                    const auto planes = std::span(x).subspan(k * in, in),
                               shares = std::span(c).subspan(k * out, out);
                    max_forward<T>(one, planes, std::span(best_one).subspan(k * out, out));
                    average_forward<T>(one, planes, std::span(mean_one).subspan(k * out, out));
                    average_vjp<T>(one, shares, std::span(spread_one).subspan(k * in, in));
                }
                EXPECT_TRUE(same_bits(best, best_one)) << name(p) << " level " << static_cast<int>(l);
                EXPECT_TRUE(same_bits(mean, mean_one)) << name(p) << " level " << static_cast<int>(l);
                EXPECT_TRUE(same_bits(spread, spread_one)) << name(p) << " level " << static_cast<int>(l);
            }
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
            const auto check = [&](const Pooling& q) {
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
            };
            for (const Sums sums : sums_of<T>()) {
                p.sums = sums;
                everywhere(p, check);
            }
            if (testing::Test::HasFailure()) return;
        }
}

TYPED_TEST(Fast, LargeOutputsAreStreamedWhole) {
    using T = TypeParam;
    // More than 8 MiB each way, at an odd address and with rows that are no multiple of a line.
    Pooling p{.axes = {{.extent = 131, .out = 131, .kernel = 3, .pad_begin = 1, .pad_end = 1},
                       {.extent = 127, .out = 127, .kernel = 3, .pad_begin = 1, .pad_end = 1}},
              .slices = 150,
              .threads = 2};
    std::vector<T> x(static_cast<std::size_t>(inputs(p)));
    for (T& v : x) v = static_cast<T>(this->random_() % 64);
    std::vector<T> large(x.size() + 3, T{99}), small(x.size() / 150);
    const std::span<T> y(large.data() + 1, x.size());
    const auto compare = [&](auto run) {
        Pooling one = p;
        one.slices = one.threads = 1;
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
    for (Axis& a : p.axes) a.kernel = 2, a.pad_begin = 0;
    const auto with_indices = [](const Pooling& q, std::span<const T> a, std::span<T> b) {
        std::vector<Index> at(b.size());
        max_forward<T>(q, a, b, at);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] += static_cast<T>(at[i]);
    };
    compare([](const Pooling& q, std::span<const T> a, std::span<T> b) { max_forward<T>(q, a, b); });
    compare(with_indices);
}

TYPED_TEST(Fast, LargeOutputsOfNarrowPlanesAreStreamedWhole) {
    using T = TypeParam;
    constexpr Index some = 64;  // slices that are looked at, from both ends
    // A plane of outputs, or of gradients, that is one row; and rows of one register and of more. Whole
    // numbers and no division, as one plane may be summed in another order than many.
    for (const Index width : {3, 14, 29})
        for (const Level l : levels) {
            limit_level(l);
            Pooling p{
                .axes = {axis({3, 2, 1, 1}, 5), axis({3, 2, 1, 1}, width)}, .divisor = 1, .sums = Sums::own};
            Pooling wide{
                .axes = {axis({2, 1, 1, 1}, 5), axis({2, 1, 1, 1}, width)}, .divisor = 1, .sums = Sums::own};
            const auto check = [&](Pooling& q, Index from, Index to, auto run) {
                q.slices = 1;
                const std::size_t in = static_cast<std::size_t>(from), out = static_cast<std::size_t>(to);
                const std::size_t slices = (std::size_t{8} << 20) / sizeof(T) / out + 1;
                std::vector<T> x(slices * in), large(slices * out + 2, T{99}), small(out);
                for (T& v : x) v = static_cast<T>(this->random_() % 64);
                const std::span<T> y(large.data() + 1, slices * out);
                q.slices = static_cast<Index>(slices);
                run(q, std::span<const T>(x), y);
                q.slices = 1;
                for (std::size_t s = 0; s < slices; s = s + 1 == some ? slices - some : s + 1) {
                    run(q, std::span<const T>(x).subspan(s * in, in), std::span<T>(small));
                    ASSERT_TRUE(
                        same_bits(small, std::vector<T>(y.begin() + static_cast<Index>(s * out),
                                                        y.begin() + static_cast<Index>((s + 1) * out))))
                        << name(q) << " slice " << s;
                }
                EXPECT_EQ(large.front(), 99);
                EXPECT_EQ(large.back(), 99);
            };
            check(
                wide, inputs(wide), outputs(wide),
                [](const Pooling& q, std::span<const T> a, std::span<T> b) { average_forward<T>(q, a, b); });
            check(p, outputs(p), inputs(p),
                  [](const Pooling& q, std::span<const T> a, std::span<T> b) { average_vjp<T>(q, a, b); });
        }
}

TYPED_TEST(Fast, LargeOutputsOfChannelsLastAreThoseOfPlanes) {
    using T = TypeParam;
    Pooling p{.axes = {axis({2, 1, 0, 1}, 131), axis({2, 1, 0, 1}, 127)},
              .slices = 150,
              .taps = Taps::real,
              .sums = Sums::own,
              .channels = 150};
    std::vector<T> x(static_cast<std::size_t>(inputs(p))), c(static_cast<std::size_t>(outputs(p)));
    for (T& v : x) v = static_cast<T>(this->random_() % 64);
    for (T& v : c) v = static_cast<T>(this->random_() % 64);
    std::vector<T> y(c.size()), dx(x.size());
    average_forward<T>(p, x, y);
    average_vjp<T>(p, c, dx);
    p.layout = Layout::channels_last;
    std::vector<T> cells(c.size()), pulled(x.size());
    for (const Level l : levels) {
        limit_level(l);
        average_forward<T>(p, interleaved(x, 150, 150), cells);
        average_vjp<T>(p, interleaved(c, 150, 150), pulled);
        EXPECT_EQ(cells, interleaved(y, 150, 150));
        EXPECT_EQ(pulled, interleaved(dx, 150, 150));
    }
}

TYPED_TEST(Fast, LargeOutputsOfBlocksShorterThanALineAreStreamedWhole) {
    using T = TypeParam;
    const Pooling p{.axes = {axis({3, 1, 1, 1}, 1), axis({3, 1, 1, 1}, 1)},
                    .slices = 2160000,
                    .layout = Layout::channels_last,
                    .channels = 9};
    std::vector<T> x(static_cast<std::size_t>(inputs(p))), large(x.size() + 2, T{99});
    for (T& v : x) v = static_cast<T>(this->random_() % 64);
    const auto y = std::span(large).subspan(1, x.size());
    for (const Level l : levels) {
        limit_level(l);
        for (const auto& run : {average_forward<T>, average_vjp<T>}) {
            std::fill(y.begin(), y.end(), T{99});
            run(p, x, y);
            EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin())) << static_cast<int>(l);
            EXPECT_EQ(large.front(), 99);
            EXPECT_EQ(large.back(), 99);
        }
    }
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
