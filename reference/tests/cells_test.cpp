// SPDX-License-Identifier: Apache-2.0
// Many channels, and so many planes that they may be woven: each slice is what it is by itself.
#include "reference/tests/fast_cases.hpp"

namespace poolproof::reference {
namespace {

template <class T> class Cells : public FastCases<T> {
protected:
    /// Calls check(q, part) for the slices of p in every layout, and for each slice alone, at every level.
    template <class F> void in_all_forms(Pooling p, F check) {
        for (const Level l : levels) {
            limit_level(l);
            for (const Index slices : {7, 8, 16, 17, 24, 35}) {
                p.slices = p.channels = slices;
                for (const Layout layout : {Layout::planes, Layout::channels_last}) {
                    p.layout = layout;
                    p.threads = slices == 35 ? 2 : 1;
                    check(p);
                    ASSERT_FALSE(testing::Test::HasFailure())
                        << name(p) << " level " << static_cast<int>(l) << " slices " << slices << " layout "
                        << static_cast<int>(layout);
                }
            }
        }
    }

    /// What `f` makes of tensors, given one slice at a time, in the form of q.
    template <class F>
    static std::vector<T> slice_by_slice(const Pooling& q, Index each, Index result, const std::vector<T>& x,
                                         F f) {
        std::vector<T> all;
        Pooling one = q;
        one.slices = one.channels = one.threads = 1;
        one.layout = Layout::planes;
        for (Index s = 0; s < q.slices; ++s) {
            const std::vector<T> from(x.begin() + s * each, x.begin() + (s + 1) * each);
            std::vector<T> to(static_cast<std::size_t>(result), T{99});
            f(one, from, to, s);
            all.insert(all.end(), to.begin(), to.end());
        }
        return in_form(q, all);
    }

    template <class V> static V in_form(const Pooling& q, const V& v) {
        return q.layout == Layout::planes ? v : interleaved(v, q.channels, q.slices);
    }

    static void expect_near(const std::vector<T>& got, const std::vector<T>& expected) {
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_NEAR(got[i], expected[i], 32 * std::numeric_limits<T>::epsilon()) << i;
    }
};
TYPED_TEST_SUITE(Cells, FloatAndDouble, Formats);

/// Every ninth, to be done in time; with a dilation across too, wide windows, and more bins than cells.
std::vector<Pooling> some_geometries() {
    const auto all = geometries();
    std::vector<Pooling> some;
    for (std::size_t k = 0; k < all.size(); k += 9) some.push_back(all[k]);
    some.push_back({.axes = {axis({2, 3, 1, 3}, 19), axis({3, 2, 1, 2}, 23)}});
    some.push_back({.axes = {axis({4, 1, 1, 1}, 9), axis({5, 1, 2, 1}, 11)}});
    some.push_back({.axes = {{.extent = 3, .out = 6, .bins = true}, {.extent = 5, .out = 10, .bins = true}}});
    return some;
}

TYPED_TEST(Cells, MaximaAndTheirGradientsAreThoseOfEverySliceAlone) {
    using T = TypeParam;
    for (Pooling p : some_geometries()) {
        p.slices = 1;
        const Index in = inputs(p), out = outputs(p);
        for (const Filling f : {Filling::normal, Filling::signed_zeros, Filling::nans})
            for (const Nan nan : {Nan::first, Nan::last, Nan::ignore}) {
                if (nan != Nan::first && f != Filling::nans) continue;
                p.nan = nan;
                const auto most = this->values(35 * in, f), c = this->values(35 * out, Filling::normal);
                this->in_all_forms(p, [&](const Pooling& q) {
                    const std::vector<T> x(most.begin(), most.begin() + q.slices * in);
                    std::vector<Index> at;
                    const auto y = this->slice_by_slice(
                        q, in, out, x, [&](const Pooling& one, const auto& from, auto& to, Index) {
                            std::vector<Index> indices(to.size());
                            max_forward<T>(one, from, to, indices);
                            at.insert(at.end(), indices.begin(), indices.end());
                        });
                    std::vector<T> alone(y.size(), T{99}), indexed = alone;
                    std::vector<Index> indices(y.size(), 99);
                    max_forward<T>(q, this->in_form(q, x), alone);
                    max_forward<T>(q, this->in_form(q, x), indexed, indices);
                    EXPECT_TRUE(same_bits(alone, y));
                    EXPECT_TRUE(same_bits(indexed, y));
                    EXPECT_EQ(indices, this->in_form(q, at));
                    if (f == Filling::nans) return;
                    const auto dx = this->slice_by_slice(
                        q, in, in, x, [&](const Pooling& one, const auto& from, auto& to, Index s) {
                            const std::vector<T> dy(c.begin() + s * out, c.begin() + (s + 1) * out);
                            max_vjp<T>(one, from, dy, to);
                        });
                    const auto dy = this->in_form(q, std::vector<T>(c.begin(), c.begin() + q.slices * out));
                    std::vector<T> pulled(x.size(), T{99}), pulled_at = pulled;
                    max_vjp<T>(q, this->in_form(q, x), dy, pulled);
                    max_vjp_at<T>(q, indices, dy, pulled_at);
                    this->expect_near(pulled, dx);
                    this->expect_near(pulled_at, dx);
                });
                if (testing::Test::HasFailure()) return;
            }
    }
}

TYPED_TEST(Cells, AveragesAndTheirGradientsAreThoseOfEverySliceAlone) {
    using T = TypeParam;
    for (Pooling p : some_geometries())
        for (const Taps taps : {Taps::kernel, Taps::real}) {
            p.taps = taps;
            p.slices = 1;
            const Index in = inputs(p), out = outputs(p);
            const auto most = this->values(35 * in, Filling::normal),
                       c = this->values(35 * out, Filling::normal);
            const auto check = [&](const Pooling& q) {
                const std::vector<T> x(most.begin(), most.begin() + q.slices * in),
                    dy(c.begin(), c.begin() + q.slices * out);
                const auto y = this->slice_by_slice(
                    q, in, out, x, [](const Pooling& one, const auto& from, auto& to, Index) {
                        average_forward<T>(one, from, to);
                    });
                const auto dx = this->slice_by_slice(
                    q, out, in, dy, [](const Pooling& one, const auto& from, auto& to, Index) {
                        average_vjp<T>(one, from, to);
                    });
                std::vector<T> got(y.size(), T{99}), pulled(x.size(), T{99});
                average_forward<T>(q, this->in_form(q, x), got);
                average_vjp<T>(q, this->in_form(q, dy), pulled);
                this->expect_near(got, y);
                this->expect_near(pulled, dx);
            };
            for (const Sums sums : sums_of<T>()) {
                p.sums = sums;
                this->in_all_forms(p, check);
            }
            if (testing::Test::HasFailure()) return;
        }
}

/// Whether averages and their gradients have the same bits at all levels.
template <class T>
testing::AssertionResult averages_alike(const Pooling& p, const std::vector<T>& x, const std::vector<T>& dy) {
    std::vector<T> y(dy.size()), dx(x.size()), y_before, dx_before;
    for (const Level l : levels) {
        limit_level(l);
        average_forward<T>(p, x, y);
        average_vjp<T>(p, dy, dx);
        if (l != levels[0] && !(same_bits(y, y_before) && same_bits(dx, dx_before)))
            return testing::AssertionFailure() << "level " << static_cast<int>(l);
        y_before = y;
        dx_before = dx;
    }
    return testing::AssertionSuccess();
}

TYPED_TEST(Cells, AveragesHaveTheSameBitsAtAllLevels) {
    auto some = some_geometries();
    for (const Index width : {5, 7, 9, 15})  // rows shorter than a register at some levels
        for (const Index kernel : {5, 9})
            some.push_back({.axes = {axis({3, 2, 1, 1}, 9), axis({kernel, 1, kernel / 2, 1}, width)}});
    for (Pooling p : some)
        for (const Index channels : {3, 5, 8, 16, 20}) {
            p.slices = p.channels = channels;
            p.sums = channels == 5 || channels % 8 == 0 ? Sums::own : Sums::wide;
            for (const Layout layout : {Layout::planes, Layout::channels_last}) {
                p.layout = layout;
                const Filling f = channels == 3 ? Filling::signed_zeros : Filling::normal;
                const auto x = this->values(inputs(p), f), dy = this->values(outputs(p), f);
                EXPECT_TRUE(averages_alike(p, x, dy)) << name(p) << " channels " << channels;
            }
        }
}

TYPED_TEST(Cells, AveragesAndGradientsHaveTheSameBitsAtAllLevelsForEveryStride) {
    using T = TypeParam;
    const auto check = [&](const Pooling& p, Filling f) {
        const auto x = this->values(inputs(p), f), dy = this->values(outputs(p), f);
        std::vector<T> y(dy.size()), spread(x.size()), pulled(x.size()), y_before, spread_before,
            pulled_before;
        for (const Level l : levels) {
            limit_level(l);
            average_forward<T>(p, x, y);
            average_vjp<T>(p, dy, spread);
            max_vjp<T>(p, x, dy, pulled);
            if (l != levels[0]) {
                ASSERT_TRUE(same_bits(y, y_before)) << name(p) << " level " << static_cast<int>(l);
                ASSERT_TRUE(same_bits(spread, spread_before)) << name(p) << " level " << static_cast<int>(l);
                ASSERT_TRUE(same_bits(pulled, pulled_before)) << name(p) << " level " << static_cast<int>(l);
            }
            y_before = y;
            spread_before = spread;
            pulled_before = pulled;
        }
    };
    for (Index stride = 1; stride <= 4; ++stride)
        for (Index kernel = 1; kernel <= 8; ++kernel)
            for (Index pad = 0; pad <= kernel; pad += 1 + kernel / 3)
                for (const Index width : {5, 8, 14, 26, 33, 49})
                    for (const Shape& tall : {Shape{2, 2, 0, 1}, Shape{3, 2, 1, 1}, Shape{3, 1, 1, 1},
                                              Shape{7, 1, 3, 1}, Shape{8, 3, 4, 1}}) {
                        const Shape wide{kernel, stride, pad, 1};
                        Pooling p{.axes = {axis(tall, 9), axis(wide, width)}, .sums = Sums::own};
                        p.taps = pad == kernel ? Taps::kernel : Taps::real;  // or windows would be empty
                        p.slices = this->random_() % 2 == 0 ? 3 : width < 15 ? 131 : 19;
                        const bool zeros = this->random_() % 4 == 0;
                        check(p, zeros ? Filling::signed_zeros : Filling::normal);
                        if (this->HasFatalFailure()) return;
                    }
}

TYPED_TEST(Cells, AveragesOfSlabsHaveTheSameBitsAtAllLevels) {
    for (const Shape& deep : {Shape{2, 2, 0, 1}, Shape{3, 1, 1, 1}, Shape{4, 4, 2, 1}, Shape{7, 2, 3, 1}})
        for (const Shape& tall : {Shape{3, 2, 1, 1}, Shape{2, 3, 0, 1}, Shape{7, 1, 3, 1}})
            for (const Shape& wide : {Shape{3, 2, 1, 1}, Shape{2, 1, 1, 1}, Shape{5, 3, 2, 1}})
                for (const Index width : {7, 16, 30, 61})
                    for (const Taps taps : {Taps::real, Taps::kernel}) {
                        Pooling p{.axes = {axis(deep, 8), axis(tall, 9), axis(wide, width)},
                                  .sums = Sums::own};
                        p.taps = taps;
                        p.slices = 3;
                        const bool zeros = this->random_() % 4 == 0;
                        const Filling f = zeros ? Filling::signed_zeros : Filling::normal;
                        const auto x = this->values(inputs(p), f), dy = this->values(outputs(p), f);
                        ASSERT_TRUE(averages_alike(p, x, dy)) << name(p);
                    }
}

}  // namespace
}  // namespace poolproof::reference
