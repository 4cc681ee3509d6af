// SPDX-License-Identifier: Apache-2.0
// The exponentials that smooth maxima are made of, against those of a wider format.
#include "reference/smooth_kernels.hpp"
#include "reference/tests/fast_cases.hpp"

namespace poolproof::reference {
namespace {

template <class T> class Exps : public FastCases<T> {
protected:
    static constexpr double marker = -99;

    /// Of the first n of x, with the same level; the one after them is not touched.
    static std::vector<double> exps(const std::vector<T>& x, Index n, double beta, double limit,
                                    bool& within) {
        std::vector<double> y(static_cast<std::size_t>(n) + 1, marker);
        smooth_kernels<T>().exps(x.data(), beta, limit, y.data(), n, within);
        EXPECT_EQ(y.back(), marker);
        y.pop_back();
        return y;
    }
};
TYPED_TEST_SUITE(Exps, FloatAndDouble, Formats);

TYPED_TEST(Exps, AreWithinTheirBound) {
    using T = TypeParam;
    for (const double size : {700.0, 40.0, 1.0, 0x1p-20})
        for (const double beta : {1.0, -0.5}) {
            std::vector<T> x(20000);
            std::uniform_real_distribution<double> any(-size, size);
            for (T& v : x) v = static_cast<T>(any(this->random_) / beta);
            bool within = false;
            const auto y = this->exps(x, 20000, beta, 700, within);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double t = static_cast<double>(x[i]) * beta;
                if (std::abs(t) > 700) continue;  // rounded up
                const long double e = std::exp(static_cast<long double>(t));
                const long double ulp = std::ldexp(1.0L, std::ilogb(e) - 52);
                const long double bound = sizeof(T) > sizeof(float) ? 1.2L * ulp : e * 0x1p-35L;
                ASSERT_LE(std::abs(static_cast<long double>(y[i]) - e), bound) << t;
            }
        }
}

TYPED_TEST(Exps, AreTheSameAtAllLevelsAndForAnyNumber) {
    using T = TypeParam;
    std::vector<T> x(300);
    for (T& v : x) v = static_cast<T>(static_cast<double>(this->random_()) * 0x1p-54 - 512);
    limit_level(Level::baseline);
    bool within = false;
    const auto all = this->exps(x, 300, 1, 700, within);
    EXPECT_TRUE(within);
    for (const Level l : levels)
        for (const Index n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 129, 300}) {
            limit_level(l);
            const auto y = this->exps(x, n, 1, 700, within);
            EXPECT_TRUE(within);
            ASSERT_TRUE(std::equal(y.begin(), y.end(), all.begin())) << static_cast<int>(l) << ' ' << n;
        }
}

TYPED_TEST(Exps, NoticeASingleOneThatIsNotModerate) {
    using T = TypeParam;
    using Limits = std::numeric_limits<T>;
    const T beyond = std::nextafter(T{690}, T{1000});
    for (const Level l : levels)
        for (std::size_t at = 0; at < 150; ++at) {
            limit_level(l);
            std::vector<T> x(150, T{1});
            bool within = false;
            for (const T size : {T{690}, T{-690}, T{0}}) {
                x[at] = size;
                this->exps(x, 150, 1, 690, within);
                ASSERT_TRUE(within) << at;
            }
            for (const T size : {beyond, -beyond, Limits::max(), Limits::infinity(), -Limits::infinity(),
                                 Limits::quiet_NaN(), -Limits::quiet_NaN()}) {
                x[at] = size;
                this->exps(x, 150, 1, 690, within);
                ASSERT_FALSE(within) << at << ' ' << size;
            }
        }
}

}  // namespace
}  // namespace poolproof::reference
