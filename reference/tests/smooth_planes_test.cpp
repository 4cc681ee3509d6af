// SPDX-License-Identifier: Apache-2.0
// Smooth maxima of planes whose exponentials are shared, at all levels, against a wider format window by
// window.
#include "reference/tests/fast_cases.hpp"

namespace poolproof::reference {
namespace {

template <class T> struct Results {
    std::vector<T> y, dy, dx;

    bool operator==(const Results&) const = default;
};

template <class T> class SmoothPlanesOf : public FastCases<T> {
protected:
    static constexpr double epsilon = std::numeric_limits<T>::epsilon();
    static constexpr long double least = std::numeric_limits<T>::denorm_min();

    std::vector<T> spread(std::size_t n, double size) {
        std::uniform_real_distribution<double> any(-size, size);
        std::vector<T> x(n);
        for (T& v : x) v = static_cast<T>(any(this->random_));
        return x;
    }

    static Results<T> at(Level l, const Pooling& p, T beta, const std::vector<T>& x, const std::vector<T>& t,
                         const std::vector<T>& c) {
        limit_level(l);
        Results<T> r{std::vector<T>(c.size()), std::vector<T>(c.size()), std::vector<T>(x.size())};
        smooth_max_forward<T>(p, beta, x, r.y);
        smooth_max_jvp<T>(p, beta, x, t, r.dy);
        smooth_max_vjp<T>(p, beta, x, c, r.dx);
        return r;
    }

    /// Calls f(output, taps, padding) for every window, taps being positions among all inputs.
    template <class F> static void for_each_window(const Pooling& p, const F& f) {
        const auto walk = windows(p);
        const Index all = p.axes[0].kernel * p.axes[1].kernel;
        std::size_t o = 0;
        for (Index s = 0; s < p.slices; ++s)
            for (const auto& window : walk) {
                std::vector<std::size_t> taps(window.begin(), window.end());
                for (std::size_t& tap : taps) tap += static_cast<std::size_t>(s * inputs(p) / p.slices);
                const Index missing = all - static_cast<Index>(taps.size());
                f(o++, taps, p.taps == Taps::kernel ? missing : 0);
            }
    }

    /// Expects what a wider format gives, up to some roundings of what the sums are made of.
    static void expect_right(const Pooling& p, T beta, const std::vector<T>& x, const std::vector<T>& t,
                             const std::vector<T>& c, const Results<T>& r) {
        std::vector<long double> dx(x.size()), most(x.size());
        for_each_window(p, [&](std::size_t o, const std::vector<std::size_t>& taps, Index padding) {
            long double top = padding > 0 ? 0 : -std::numeric_limits<long double>::infinity();
            const auto exponent = [&](std::size_t i) { return static_cast<long double>(x[i]) * beta; };
            for (const std::size_t i : taps) top = std::max(top, exponent(i));
            long double sum = static_cast<long double>(padding) * std::exp(-top), push = 0, pushed = 0;
            for (const std::size_t i : taps) sum += std::exp(exponent(i) - top);
            const long double off = 8 * epsilon * (1 + std::abs(top));
            for (const std::size_t i : taps) {
                const long double weight = std::exp(exponent(i) - top) / sum;
                const long double lost = (off + 4 * epsilon * (top - exponent(i))) * weight;
                push += weight * t[i];
                pushed += lost * std::abs(t[i]) + least;
                dx[i] += weight * c[o];
                most[i] += lost * std::abs(c[o]) + least;
            }
            const long double y = (top + std::log(sum)) / beta;
            ASSERT_LE(std::abs(r.y[o] - y), off / std::abs(beta) + epsilon * std::abs(y)) << o;
            ASSERT_LE(std::abs(r.dy[o] - push), pushed) << o;
        });
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LE(std::abs(r.dx[i] - dx[i]), most[i]) << i;
    }
};
TYPED_TEST_SUITE(SmoothPlanesOf, FloatAndDouble, Formats);

constexpr Shape smooth_shapes[] = {{2, 2, 0, 1}, {3, 2, 1, 1}, {3, 1, 1, 1}, {3, 3, 0, 1}, {5, 3, 2, 1},
                                   {5, 1, 2, 1}, {7, 2, 3, 1}, {4, 4, 1, 1}, {2, 4, 0, 1}, {8, 2, 3, 1}};

TYPED_TEST(SmoothPlanesOf, AreRightAndTheSameAtAllLevels) {
    using T = TypeParam;
    for (const Shape& s : smooth_shapes)
        for (const Index width : {8, 9, 15, 16, 17, 31, 33, 56, 66, 131})
            for (const double size : {4.0, 20.0})
                for (const Taps taps : {Taps::real, Taps::kernel}) {
                    const Pooling p{.axes = {axis(s, 11), axis(s, width)}, .slices = 2, .taps = taps};
                    const auto x = this->spread(static_cast<std::size_t>(22 * width), size);
                    const auto t = this->spread(x.size(), 3),
                               c = this->spread(static_cast<std::size_t>(outputs(p)), 3);
                    for (const T beta : {T{10}, T{-1.5}}) {
                        const auto plain = this->at(Level::baseline, p, beta, x, t, c);
                        this->expect_right(p, beta, x, t, c, plain);
                        if (this->HasFatalFailure()) return;
                        for (const Level l : levels)
                            ASSERT_EQ(this->at(l, p, beta, x, t, c), plain)
                                << static_cast<int>(l) << ' ' << s.kernel << ' ' << s.stride << ' ' << width;
                    }
                }
}

TYPED_TEST(SmoothPlanesOf, HaveGradientsOfAnySize) {
    using T = TypeParam;
    const Pooling p{.axes = {axis({3, 2, 1, 1}, 9), axis({3, 2, 1, 1}, 20)}, .slices = 2};
    const std::vector<T> sizes = sizeof(T) > sizeof(float)
                                     ? std::vector<T>{T(1e-290), T(1e-99), T(1e99), T(1e290)}
                                     : std::vector<T>{T(1e-30), T(1e30)};
    for (const double most : {22.0, 60.0, -21.0})
        for (const T size : sizes) {
            auto x = this->spread(360, most > 0 ? most : 1);
            if (most < 0)
                for (T& v : x) v += static_cast<T>(most);
            auto t = this->spread(x.size(), 3), c = this->spread(static_cast<std::size_t>(outputs(p)), 3);
            for (T& v : t) v *= size;
            for (T& v : c) v *= size;
            for (const Level l : levels) {
                this->expect_right(p, 10, x, t, c, this->at(l, p, 10, x, t, c));
                if (this->HasFatalFailure()) FAIL() << most << ' ' << size;
            }
        }
}

TYPED_TEST(SmoothPlanesOf, KeepWhatIsBesideZero) {
    using T = TypeParam;
    // One zero in each window, the rest far below: the sum of exponentials is 1 and next to nothing.
    for (const Level l : levels)
        for (const Index width : {8, 30, 131}) {
            const Pooling p{.axes = {axis({2, 2, 0, 1}, 12), axis({2, 2, 0, 1}, width)}, .slices = 3};
            const auto inputs = static_cast<std::size_t>(12 * width);
            std::vector<T> x, y(static_cast<std::size_t>(outputs(p)));
            for (const T below : {T{-45}, T{-47}, T{-49}}) x.insert(x.end(), inputs, below);
            for (Index r = 0; r < 36; r += 2)
                for (Index i = 0; i < width; i += 2) x[static_cast<std::size_t>(r * width + i)] = 0;
            limit_level(l);
            smooth_max_forward<T>(p, 1, x, y);
            for (std::size_t o = 0; o < y.size(); ++o) {
                const T expected =
                    static_cast<T>(std::log1p(3 * std::exp(x[1 + o / (y.size() / 3) * inputs])));
                ASSERT_NEAR(y[o], expected, 4 * this->epsilon * expected);
            }
        }
}

TYPED_TEST(SmoothPlanesOf, NoticeASingleOneThatIsNotModerate) {
    using T = TypeParam;
    // The last row and column are in no window.
    const Pooling p{.axes = {axis({2, 2, 0, 1}, 7), axis({2, 2, 0, 1}, 21)}, .slices = 3};
    std::vector<T> moderate;
    for (const T v : {T{1}, T{2}, T{3}}) moderate.insert(moderate.end(), 7 * 21, v);
    for (const Level l : levels)
        for (std::size_t at = 0; at < moderate.size(); ++at)
            for (const T large : {T{5000}, T{-5000}, std::numeric_limits<T>::infinity()}) {
                std::vector<T> x = moderate, y(static_cast<std::size_t>(outputs(p)));
                x[at] = large;
                limit_level(l);
                smooth_max_forward<T>(p, 1, x, y);
                this->for_each_window(p, [&](std::size_t o, const std::vector<std::size_t>& taps, Index) {
                    const bool in = std::find(taps.begin(), taps.end(), at) != taps.end();
                    const std::size_t slice = o / 30;
                    const double others = static_cast<double>(1 + slice) + std::log(in ? 3.0 : 4.0);
                    const double expected = in && large > 0 ? static_cast<double>(large) : others;
                    if (std::isinf(expected))
                        ASSERT_EQ(y[o], expected) << at;
                    else
                        ASSERT_NEAR(y[o], expected, 4 * this->epsilon * expected) << at;
                });
            }
}

}  // namespace
}  // namespace poolproof::reference
