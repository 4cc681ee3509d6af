// SPDX-License-Identifier: Apache-2.0
// The reference against a walk that visits every tap of every window and asks of each where it lies, on
// random small geometries with few distinct values: ties, zeros of both signs, NaN, padding and overhang meet
// often.
#include <poolproof/reference.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace poolproof::reference {
namespace {

constexpr Index padding = -1;

/// The taps of every window of a slice, row-major: a position in the slice, or `padding`.
using Walk = std::vector<std::vector<Index>>;

std::vector<Index> taps(const Axis& a, Taps which, Index o) {
    std::vector<Index> at;
    if (a.bins) {
        for (Index i = 0; i < a.extent; ++i)
            if ((i + 1) * a.out > o * a.extent && i * a.out < (o + 1) * a.extent) at.push_back(i);
        return at;
    }
    for (Index k = 0; k < a.kernel; ++k) {
        const Index i = o * a.stride + k * a.dilation - a.pad_begin;
        if (i >= 0 && i < a.extent)
            at.push_back(i);
        else if (which == Taps::kernel || (which == Taps::clipped && i < a.extent + a.pad_end))
            at.push_back(padding);
    }
    return at;
}

Walk walk(const Pooling& p) {
    Walk all{{0}};
    for (const Axis& a : p.axes) {
        Walk finer;
        for (const auto& window : all)
            for (Index o = 0; o < a.out; ++o) {
                auto& w = finer.emplace_back();
                for (const Index outer : window)
                    for (const Index i : taps(a, p.taps, o))
                        w.push_back(outer == padding || i == padding ? padding : outer * a.extent + i);
            }
        all = std::move(finer);
    }
    return all;
}

class Source {
public:
    explicit Source(unsigned seed) : engine_(seed) {}

    Index between(Index low, Index high) {
        return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }

    Pooling pooling() {
        Pooling p;
        const Index rank = between(1, 4);
        for (Index k = 0; k < rank; ++k) {
            Axis a{.extent = between(1, 5), .out = between(1, 4), .bins = between(0, 4) == 0};
            a.kernel = between(1, 4);
            a.stride = between(1, 3);
            a.dilation = between(1, 3);
            a.pad_begin = between(0, 3);
            a.pad_end = between(0, 3);
            p.axes.push_back(a);
        }
        p.slices = between(1, 2);
        p.taps = static_cast<Taps>(between(0, 2));
        p.ties = static_cast<Ties>(between(0, 3));
        p.nan = static_cast<Nan>(between(0, 2));
        p.positive_zero = between(0, 1) == 1;
        p.empty = static_cast<Empty>(between(0, 3));
        if (between(0, 3) == 0) p.divisor = between(1, 7);
        return p;
    }

    /// Small integers, zeros of both signs among them.
    template <class T> std::vector<T> values(Index n) {
        std::vector<T> x;
        for (Index i = 0; i < n; ++i)
            x.push_back(static_cast<T>(between(-2, 2)) * (between(0, 1) == 1 ? T{1} : T{-1}));
        return x;
    }

private:
    std::mt19937_64 engine_;
};

template <class T> bool same(T a, T b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

template <class T> class Naive : public testing::Test {
protected:
    /// Calls f(source, p, walk, inputs) for many random geometries; `inputs` counts one slice.
    template <class F> void many(F f) {
        for (unsigned seed = 0; seed < 1000; ++seed) {
            Source source(seed);
            const Pooling p = source.pooling();
            Index inputs = 1;
            for (const Axis& a : p.axes) inputs *= a.extent;
            const Walk w = walk(p);
            f(source, p, w, inputs);
            ASSERT_FALSE(this->HasFailure()) << "seed " << seed;
        }
    }

    static std::size_t size(Index n) { return static_cast<std::size_t>(n); }
};

struct Formats {
    template <class T> static std::string GetName(int) { return sizeof(T) == 8 ? "Double" : "Float"; }
};
using FloatAndDouble = testing::Types<float, double>;
TYPED_TEST_SUITE(Naive, FloatAndDouble, Formats);

/// The winner's place in the list of taps; `last` of equal values.
template <class T> std::size_t winner(const Pooling& p, const std::vector<T>& v, bool last) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
        if (std::isnan(v[best])) {
            if (p.nan == Nan::ignore ? !std::isnan(v[i]) : p.nan == Nan::last && std::isnan(v[i])) best = i;
            continue;
        }
        if (std::isnan(v[i])) {
            if (p.nan != Nan::ignore) best = i;
            continue;
        }
        const auto key = [&](T x) {
            return p.positive_zero && x == 0 ? (std::signbit(x) ? -0.25 : 0.25) : double(x);
        };
        if (key(v[i]) > key(v[best]) || (last && key(v[i]) == key(v[best]))) best = i;
    }
    return best;
}

TYPED_TEST(Naive, MaximumAgreesInEveryBitAndIndex) {
    using T = TypeParam;
    this->many([](Source& source, const Pooling& p, const Walk& walk, Index inputs) {
        auto x = source.values<T>(p.slices * inputs);
        if (source.between(0, 1) == 0)
            for (T& v : x)
                if (source.between(0, 5) == 0) v = std::numeric_limits<T>::quiet_NaN();
        const std::size_t outputs = walk.size() * static_cast<std::size_t>(p.slices);
        std::vector<T> y(outputs), alone(outputs);
        std::vector<Index> at(outputs);
        max_forward<T>(p, x, y, at);
        max_forward<T>(p, x, alone);
        for (std::size_t o = 0; o < outputs; ++o) {
            const auto& w = walk[o % walk.size()];
            const T* slice = x.data() + static_cast<Index>(o / walk.size()) * inputs;
            std::vector<T> v;
            for (const Index i : w) v.push_back(i == padding ? T{0} : slice[i]);
            EXPECT_TRUE(same(y[o], alone[o]));
            if (v.empty()) {
                const T none = p.empty == Empty::zero       ? T{0}
                               : p.empty == Empty::identity ? -std::numeric_limits<T>::infinity()
                               : p.empty == Empty::lowest   ? std::numeric_limits<T>::lowest()
                                                            : std::numeric_limits<T>::quiet_NaN();
                EXPECT_TRUE(same(y[o], none));
                EXPECT_EQ(at[o], -1);
                continue;
            }
            EXPECT_TRUE(same(y[o], v[winner(p, v, false)]));
            EXPECT_EQ(at[o], w[winner(p, v, p.ties == Ties::last)]);
        }
    });
}

TYPED_TEST(Naive, MaximumsDerivativesAgree) {
    using T = TypeParam;
    this->many([](Source& source, const Pooling& p, const Walk& walk, Index inputs) {
        const auto x = source.values<T>(p.slices * inputs), t = source.values<T>(p.slices * inputs);
        const auto outputs = static_cast<Index>(walk.size()) * p.slices;
        const auto c = source.values<T>(outputs);
        std::vector<T> dx(x.size()), dy(c.size());
        std::vector<double> gradient(x.size());
        max_jvp<T>(p, x, t, dy);
        max_vjp<T>(p, x, c, dx);
        for (std::size_t o = 0; o < c.size(); ++o) {
            const auto& w = walk[o % walk.size()];
            const std::size_t base = o / walk.size() * static_cast<std::size_t>(inputs);
            std::vector<T> v;
            for (const Index i : w) v.push_back(i == padding ? T{0} : x[base + static_cast<std::size_t>(i)]);
            double push = 0, tied = 0;
            const std::size_t best = v.empty() ? 0 : winner(p, v, p.ties == Ties::last);
            const auto wins = [&](std::size_t k) {
                if (p.ties == Ties::first || p.ties == Ties::last) return k == best;
                return p.positive_zero ? same(v[k], v[best]) : v[k] == v[best];
            };
            for (std::size_t k = 0; k < v.size(); ++k) tied += wins(k) ? 1 : 0;
            const double share = p.ties == Ties::split ? tied : 1;
            for (std::size_t k = 0; k < v.size(); ++k) {
                if (!wins(k) || w[k] == padding) continue;
                push += t[base + static_cast<std::size_t>(w[k])] / share;
                gradient[base + static_cast<std::size_t>(w[k])] += c[o] / share;
            }
            EXPECT_NEAR(dy[o], push, 1e-5);
        }
        for (std::size_t i = 0; i < dx.size(); ++i) EXPECT_NEAR(dx[i], gradient[i], 1e-5);
        if (p.ties == Ties::first || p.ties == Ties::last) {
            std::vector<T> y(c.size()), from_indices(x.size());
            std::vector<Index> at(c.size());
            max_forward<T>(p, x, y, at);
            max_vjp_at<T>(p, at, c, from_indices);
            EXPECT_EQ(dx, from_indices);
        }
    });
}

TYPED_TEST(Naive, AverageAgreesExactlyOnSmallIntegers) {
    using T = TypeParam;
    this->many([](Source& source, const Pooling& p, const Walk& walk, Index inputs) {
        const auto x = source.values<T>(p.slices * inputs);
        const auto outputs = static_cast<Index>(walk.size()) * p.slices;
        const auto c = source.values<T>(outputs);
        std::vector<T> y(c.size()), dy(c.size()), dx(x.size());
        std::vector<double> gradient(x.size());
        average_forward<T>(p, x, y);
        average_jvp<T>(p, x, dy);
        average_vjp<T>(p, c, dx);
        for (std::size_t o = 0; o < c.size(); ++o) {
            const auto& w = walk[o % walk.size()];
            const std::size_t base = o / walk.size() * static_cast<std::size_t>(inputs);
            const auto divisor = static_cast<double>(p.divisor.value_or(static_cast<Index>(w.size())));
            double sum = 0;
            for (const Index i : w) {
                if (i == padding) continue;
                sum += x[base + static_cast<std::size_t>(i)];
                gradient[base + static_cast<std::size_t>(i)] += c[o] / divisor;
            }
            const T mean = divisor == 0 ? T{0} : static_cast<T>(sum / divisor);
            EXPECT_EQ(dy[o], mean);
            if (divisor != 0 || p.taps != Taps::real || p.empty == Empty::zero)
                EXPECT_EQ(y[o], mean);
            else if (p.empty == Empty::lowest)
                EXPECT_EQ(y[o], std::numeric_limits<T>::lowest());
            else
                EXPECT_TRUE(std::isnan(y[o]));
        }
        for (std::size_t i = 0; i < dx.size(); ++i) EXPECT_NEAR(dx[i], gradient[i], 1e-5);
    });
}

TYPED_TEST(Naive, SmoothMaximumAgreesWithItsDefinition) {
    using T = TypeParam;
    const double near = sizeof(T) == 8 ? 1e-13 : 1e-5;
    this->many([&](Source& source, const Pooling& p, const Walk& walk, Index inputs) {
        const auto x = source.values<T>(p.slices * inputs), t = source.values<T>(p.slices * inputs);
        const auto outputs = static_cast<Index>(walk.size()) * p.slices;
        const auto c = source.values<T>(outputs);
        const T beta = static_cast<T>(source.between(0, 1) == 0 ? 1.5 : -0.75);
        std::vector<T> y(c.size()), dy(c.size()), dx(x.size());
        std::vector<double> gradient(x.size());
        smooth_max_forward<T>(p, beta, x, y);
        smooth_max_jvp<T>(p, beta, x, t, dy);
        smooth_max_vjp<T>(p, beta, x, c, dx);
        for (std::size_t o = 0; o < c.size(); ++o) {
            const auto& w = walk[o % walk.size()];
            const std::size_t base = o / walk.size() * static_cast<std::size_t>(inputs);
            double total = 0, push = 0;
            for (const Index i : w) {
                const std::size_t k = i == padding ? 0 : base + static_cast<std::size_t>(i);
                const double e = i == padding ? 1 : std::exp(double{beta} * x[k]);
                total += e;
                push += i == padding ? 0 : e * t[k];
            }
            for (const Index i : w)
                if (i != padding) {
                    const std::size_t k = base + static_cast<std::size_t>(i);
                    gradient[k] += c[o] * std::exp(double{beta} * x[k]) / total;
                }
            if (!w.empty()) { EXPECT_NEAR(y[o], std::log(total) / beta, near); }
            EXPECT_NEAR(dy[o], w.empty() ? 0 : push / total, near);
        }
        for (std::size_t i = 0; i < dx.size(); ++i) EXPECT_NEAR(dx[i], gradient[i], 10 * near);
    });
}

}  // namespace
}  // namespace poolproof::reference
