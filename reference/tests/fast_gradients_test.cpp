// SPDX-License-Identifier: Apache-2.0
// As fast_test.cpp, for gradients that are scattered or spread.
#include "reference/tests/fast_cases.hpp"

namespace poolproof::reference {
namespace {

template <class T> class FastGradients : public FastCases<T> {};
TYPED_TEST_SUITE(FastGradients, FloatAndDouble, Formats);

TYPED_TEST(FastGradients, OfMaximaGoToTheWinners) {
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

TYPED_TEST(FastGradients, GoToAnyIndicesThatAreGiven) {
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

TYPED_TEST(FastGradients, OfAveragesAreThoseOfAPlainWalkForEveryStride) {
    using T = TypeParam;
    const auto sizes = [](auto check) {
        for (Index stride = 1; stride <= 9; ++stride)
            for (Index kernel = 1; kernel <= 19; kernel += kernel < 9 ? 1 : 5)
                for (Index pad = 0; pad < kernel; pad += 1 + kernel / 3)
                    for (const Index width : {8, 17, 33, 70})
                        if (width + 2 * pad >= kernel) check(Shape{kernel, stride, pad, 1}, width);
    };
    sizes([&](const Shape& shape, Index width) {
        // Whole numbers and no division, so that the order of a sum does not show.
        Pooling p{.axes = {axis({2, 3, 0, 1}, 8), axis(shape, width)}, .divisor = 1};
        if (width == 33) p.axes = {p.axes[1]};
        std::vector<T> c(static_cast<std::size_t>(outputs(p))), dx(static_cast<std::size_t>(inputs(p)));
        for (T& v : c) v = static_cast<T>(this->random_() % 16);
        std::size_t o = 0;
        for (const auto& window : windows(p)) {
            for (const Index i : window) dx[static_cast<std::size_t>(i)] += c[o];
            ++o;
        }
        for (const Sums sums : sums_of<T>())
            for (const Level l : levels) {
                limit_level(l);
                p.sums = sums;
                std::vector<T> got(dx.size(), T{99});
                average_vjp<T>(p, c, got);
                EXPECT_TRUE(same_bits(got, dx)) << name(p) << " level " << static_cast<int>(l);
            }
    });
}

TYPED_TEST(FastGradients, OfMaximaAreThoseOfAPlainWalkForEveryStride) {
    using T = TypeParam;
    const auto heights = [](const Shape& shape) {
        return std::vector{axis(shape, 9),
                           axis({2, 2, 1, 1}, 9),
                           axis({3, 2, 1, 1}, 11),
                           axis({2, 1, 0, 1}, 6),
                           axis({5, 2, 2, 1}, 12),
                           axis({2, 4, 0, 1}, 11),
                           Axis{.extent = 5, .out = 8, .bins = true}};
    };
    const auto check = [&](Pooling p, Filling filling) {
        const auto x = this->values(inputs(p), filling);
        // Whole numbers whose sums are exact in double, and in float seldom.
        std::vector<T> c(static_cast<std::size_t>(outputs(p))), y = c;
        for (T& v : c) v = this->random_() % 4 == 0 ? T{1 << 24} : static_cast<T>(this->random_() % 8);
        std::vector<Index> at(c.size());
        limit_level(Level::baseline);
        max_forward<T>(p, x, y, at);
        std::vector<double> sums(x.size());
        for (std::size_t o = 0; o < c.size(); ++o) sums[static_cast<std::size_t>(at[o])] += c[o];
        const std::vector<T> dx(sums.begin(), sums.end());
        for (const Level l : levels) {
            limit_level(l);
            std::vector<T> got(x.size() + 1, T{99});
            max_vjp<T>(p, x, c, std::span(got).first(x.size()));
            EXPECT_EQ(got.back(), 99);
            got.pop_back();
            ASSERT_EQ(got, dx) << name(p) << " level " << static_cast<int>(l);
        }
    };
    for (Index stride = 1; stride <= 5; ++stride)
        for (Index kernel = 1; kernel <= 2 * stride + 1; ++kernel)
            for (Index pad = 0; pad < kernel; ++pad)
                for (const Index width : {13, 16, 17, 31, 33, 48, 65, 70}) {
                    const Shape shape{kernel, stride, pad, 1};
                    for (const Axis& height : heights(shape)) {
                        Pooling p{.axes = {height, axis(shape, width)}};
                        const auto filling = fillings[this->random_() % std::size(fillings)];
                        check(p, filling);
                        if (this->HasFatalFailure()) return;
                        // Cells after the last window.
                        if (p.axes[1].out > 8) p.axes[1].out -= 7;
                        check(p, filling);
                        if (this->HasFatalFailure()) return;
                    }
                }
}

TYPED_TEST(FastGradients, OfLargeInputsAreStreamedWhole) {
    using T = TypeParam;
    for (const Index pad : {0, 1})
        for (const Level l : levels) {
            limit_level(l);
            const Pooling p{.axes = {axis({3, 2, pad, 1}, 131), axis({3, 2, pad, 1}, 126)}, .slices = 160};
            std::vector<T> x(static_cast<std::size_t>(inputs(p))), c(static_cast<std::size_t>(outputs(p)));
            for (T& v : x) v = static_cast<T>(this->random_() % 64);
            for (T& v : c) v = static_cast<T>(this->random_() % 16);
            const std::size_t in = x.size() / 160, out = c.size() / 160;
            std::vector<T> y(c.size());
            std::vector<Index> at(c.size());
            max_forward<T>(p, x, y, at);
            Pooling one = p;
            one.slices = 1;
            std::vector<T> large(x.size() + 2), small(in);
            const std::span<T> dx(large.data() + 1, x.size());
            const auto compare = [&](auto run) {
                std::fill(large.begin(), large.end(), T{99});
                run(p, 0, x.size(), c.size(), dx);
                for (std::size_t s = 0; s < 160; ++s) {
                    run(one, s, in, out, std::span<T>(small));
                    ASSERT_TRUE(
                        std::equal(small.begin(), small.end(), dx.begin() + static_cast<Index>(s * in)));
                }
                EXPECT_EQ(large.front(), 99);
                EXPECT_EQ(large.back(), 99);
            };
            const auto part = [](const auto& v, std::size_t s, std::size_t n) {
                return std::span(v).subspan(s * n, n);
            };
            compare([&](const Pooling& q, std::size_t s, std::size_t, std::size_t m, std::span<T> to) {
                average_vjp<T>(q, part(c, s, m), to);
            });
            compare([&](const Pooling& q, std::size_t s, std::size_t n, std::size_t m, std::span<T> to) {
                max_vjp<T>(q, part(x, s, n), part(c, s, m), to);
            });
            compare([&](const Pooling& q, std::size_t s, std::size_t, std::size_t m, std::span<T> to) {
                max_vjp_at<T>(q, part(at, s, m), part(c, s, m), to);
            });
        }
}

TYPED_TEST(FastGradients, OfLargeInputsAreWrittenAsWholeLines) {
    using T = TypeParam;
    // Rows of whole lines, of an odd and an even number of registers, with inputs that all or not all are in
    // windows.
    const Shape wide[] = {{3, 2, 0, 1}, {3, 2, 1, 1}, {2, 2, 0, 1}, {3, 1, 1, 1}, {4, 3, 2, 1}, {2, 3, 0, 1}};
    for (const Index width : {112, 128})
        for (const Shape& shape : wide) {
            Pooling p{.axes = {axis({3, 2, 1, 1}, 131), axis(shape, width)}, .slices = 160};
            const auto c = this->values(outputs(p), Filling::normal);
            const auto in = static_cast<std::size_t>(inputs(p)) / 160, out = c.size() / 160;
            constexpr std::size_t line = 64 / sizeof(T);
            std::vector<T> large(160 * in + 2 * line, T{99});
            const std::size_t past = reinterpret_cast<std::uintptr_t>(large.data()) / sizeof(T) % line;
            const std::size_t begin = line - past;
            for (const Sums sums : sums_of<T>())
                for (const Level l : levels) {
                    limit_level(l);
                    p.sums = sums;
                    std::fill(large.begin(), large.end(), T{99});
                    const auto dx = std::span(large).subspan(begin, 160 * in);
                    average_vjp<T>(p, c, dx);
                    Pooling one = p;
                    one.slices = 1;
                    std::vector<T> small(in);
                    for (std::size_t s = 0; s < 160; ++s) {
                        average_vjp<T>(one, std::span(c).subspan(s * out, out), small);
                        ASSERT_TRUE(
                            std::equal(small.begin(), small.end(), dx.begin() + static_cast<Index>(s * in)))
                            << s << " level " << static_cast<int>(l);
                    }
                    EXPECT_EQ(large[begin - 1], 99);
                    EXPECT_EQ(large[begin + 160 * in], 99);
                }
        }
}

}  // namespace
}  // namespace poolproof::reference
