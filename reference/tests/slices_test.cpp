// SPDX-License-Identifier: Apache-2.0
// Maxima of slabs, of narrow planes and of slices that are one window, of which many are taken at once: with
// and without positions, and their gradients, against a walk over all taps at every level. And means of such
// slices.
#include "reference/tests/fast_cases.hpp"

#include <array>

namespace poolproof::reference {
namespace {

template <class T> class Slices : public FastCases<T> {
protected:
    void check(Pooling p) {
        const auto walk = windows(p);
        for (const Filling f : fillings)
            for (const Nan nan : {Nan::first, Nan::last, Nan::ignore}) {
                // The rules differ where there are NaNs.
                if (f != Filling::nans && nan != Nan::first) continue;
                p.nan = nan;
                auto x = this->values(inputs(p), f);
                // Zeros of both signs above all others, so that their order shows.
                if (f == Filling::lowest)
                    for (T& v : x)
                        if (const auto r = this->random_() % 8; r < 2) v = r == 0 ? T{0} : -T{0};
                const auto won = winners(p, walk, x);
                // Sums of whole numbers are exact.
                std::vector<T> c(won.first.size()), dx(x.size());
                for (T& v : c) v = static_cast<T>(this->random_() % 16);
                const std::size_t in = x.size() / static_cast<std::size_t>(p.slices);
                for (std::size_t o = 0; o < c.size(); ++o)
                    dx[o / walk.size() * in + static_cast<std::size_t>(won.second[o])] += c[o];
                // Of NaNs alone, which are passed over, none is the winner.
                const bool winner = nan != Nan::ignore || f != Filling::nans;
                for (const Level l : levels) {
                    limit_level(l);
                    p.threads = 1 + static_cast<int>(this->random_() % 2);
                    expect(p, x, c, won, dx, winner);
                    if (testing::Test::HasFailure()) {
                        ADD_FAILURE() << name(p) << " level " << static_cast<int>(l) << " filling "
                                      << static_cast<int>(f) << " nan " << static_cast<int>(nan);
                        return;
                    }
                }
            }
    }

private:
    void expect(const Pooling& p, const std::vector<T>& x, const std::vector<T>& c,
                const std::pair<std::vector<T>, std::vector<Index>>& won, const std::vector<T>& dx,
                bool winner) {
        // One more of each, that is not to be touched.
        std::vector<T> alone(c.size() + 1, T{99}), indexed = alone, pulled(x.size() + 1, T{99});
        std::vector<Index> at(c.size() + 1, 99);
        max_forward<T>(p, x, std::span(alone).first(c.size()));
        max_forward<T>(p, x, std::span(indexed).first(c.size()), std::span(at).first(c.size()));
        max_vjp<T>(p, x, c, std::span(pulled).first(x.size()));
        EXPECT_EQ(alone.back(), 99);
        EXPECT_EQ(indexed.back(), 99);
        EXPECT_EQ(pulled.back(), 99);
        EXPECT_EQ(at.back(), 99);
        alone.pop_back(), indexed.pop_back(), pulled.pop_back(), at.pop_back();
        EXPECT_TRUE(same_bits(alone, won.first));
        EXPECT_TRUE(same_bits(indexed, won.first));
        if (!winner) return;
        EXPECT_EQ(at, won.second);
        EXPECT_TRUE(same_bits(pulled, dx));
    }
};

TYPED_TEST_SUITE(Slices, FloatAndDouble, Formats);

TYPED_TEST(Slices, OfSlabsAreThoseOfAPlainWalk) {
    for (const Shape& s :
         {Shape{2, 1, 0, 1}, Shape{3, 1, 1, 1}, Shape{2, 2, 0, 1}, Shape{2, 2, 1, 1}, Shape{3, 2, 1, 1},
          Shape{3, 3, 0, 1}, Shape{5, 2, 2, 1}, Shape{4, 4, 0, 1}, Shape{7, 3, 3, 1}})
        for (const Index width : {7, 8, 14, 17, 30, 33, 64}) {
            const Axis depths[] = {axis({2, 2, 0, 1}, 4), axis({3, 2, 1, 1}, 3), axis({1, 2, 0, 1}, 3)};
            const Axis heights[] = {axis({2, 1, 0, 1}, 4), axis({3, 2, 1, 1}, 5)};
            Pooling p{.axes = {depths[this->random_() % 3], heights[this->random_() % 2], axis(s, width)},
                      .slices = 3};
            this->check(p);
            if (this->HasFailure()) return;
            if (p.axes[2].out < 4) continue;
            p.axes[2].out -= 2;  // cells after the last window
            this->check(p);
            if (this->HasFailure()) return;
        }
}

TYPED_TEST(Slices, OfNarrowPlanesAreThoseOfAPlainWalk) {
    for (Index stride = 1; stride <= 4; ++stride)
        for (Index kernel = 2; kernel <= 8; ++kernel)
            for (const Index width : {8, 15, 16, 20, 32, 50}) {
                const Shape shape{kernel, stride, static_cast<Index>(this->random_() % 3) % kernel, 1};
                const Axis heights[] = {axis({3, 2, 1, 1}, 7), axis({2, 3, 0, 1}, 5), axis(shape, 10)};
                // More than are done together.
                const Index slices = kernel == 3 || kernel == 5 ? 45 : 3;
                this->check({.axes = {heights[this->random_() % 3], axis(shape, width)}, .slices = slices});
                if (this->HasFailure()) return;
            }
}

TYPED_TEST(Slices, ThatAreOneWindowAreThoseOfAPlainWalk) {
    const auto all = [](Index n) { return axis({n, 1, 0, 1}, n); };
    for (const Index n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 200}) {
        this->check({.axes = {all(n)}, .slices = 5});
        if (this->HasFailure()) return;
    }
    this->check({.axes = {all(7), all(7)}, .slices = 150});
    this->check({.axes = {all(3), all(5), all(9)}, .slices = 4});
    this->check({.axes = {{.extent = 6, .out = 1, .bins = true}, {.extent = 13, .out = 1, .bins = true}},
                 .slices = 4});
}

TYPED_TEST(Slices, ThatAreOneWindowHaveTheSameMeansAtAllLevels) {
    using T = TypeParam;
    const auto check = [&](Pooling p) {
        p.sums = Sums::own;
        const auto x = this->values(inputs(p), Filling::normal);
        const std::size_t n = x.size() / static_cast<std::size_t>(p.slices);
        double divisor = 1;
        for (const Axis& a : p.axes) divisor *= static_cast<double>(a.extent + a.pad_begin + a.pad_end);
        if (p.taps == Taps::real) divisor = static_cast<double>(n);
        if (p.divisor) divisor = static_cast<double>(*p.divisor);
        std::vector<T> first;
        for (const Level l : levels) {
            limit_level(l);
            std::vector<T> y(static_cast<std::size_t>(p.slices) + 1, T{99});
            average_forward<T>(p, x, std::span(y).first(y.size() - 1));
            EXPECT_EQ(y.back(), 99);
            y.pop_back();
            if (first.empty()) first = y;
            EXPECT_TRUE(same_bits(first, y)) << name(p) << " level " << static_cast<int>(l);
        }
        for (std::size_t s = 0; s < first.size(); ++s) {
            double sum = 0, size = 0;
            for (std::size_t i = 0; i < n; ++i) {
                sum += static_cast<double>(x[s * n + i]);
                size += std::fabs(static_cast<double>(x[s * n + i]));
            }
            const double error = 16 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
            EXPECT_NEAR(first[s] * divisor, sum, error) << name(p);
        }
    };
    const auto all = [](Index n) { return axis({n, 1, 0, 1}, n); };
    for (const Index n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 127, 128, 200, 1000})
        check({.axes = {all(n)}, .slices = 5});
    check({.axes = {all(7), all(7)}, .slices = 150});
    check({.axes = {all(3), all(5), all(9)}, .slices = 4});
    // Taps beside the input count, or not, or the divisor is another.
    Pooling padded{.axes = {axis({9, 3, 1, 1}, 7), axis({8, 2, 1, 1}, 6)}, .slices = 3};
    for (const Taps taps : {Taps::kernel, Taps::real}) {
        padded.taps = taps;
        check(padded);
    }
    padded.divisor = 5;
    check(padded);
}

TYPED_TEST(Slices, OfNegativeZerosHaveNegativeZeroAsTheirMean) {
    using T = TypeParam;
    for (const Index n : {1, 5, 16, 33, 70, 150}) {
        const std::vector<T> x(static_cast<std::size_t>(n), -T{0});
        for (const Level l : levels) {
            limit_level(l);
            std::vector<T> y(1, T{99});
            average_forward<T>({.axes = {axis({n, 1, 0, 1}, n)}, .sums = Sums::own}, x, y);
            EXPECT_TRUE(y[0] == 0 && std::signbit(y[0])) << n << " level " << static_cast<int>(l);
        }
    }
}

}  // namespace
}  // namespace poolproof::reference
