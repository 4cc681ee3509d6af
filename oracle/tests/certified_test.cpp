// SPDX-License-Identifier: Apache-2.0
// The certified path gives the exact oracle's sets, bit for bit: over generated cases of every op, mode,
// format and profile, some 25 values each. POOLPROOF_CERTIFIED=N sets their number.
#include "oracle/tests/certified_difference.hpp"

#include <poolproof/generate.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace poolproof {

namespace {

std::uint64_t wanted_cases() {
    const char* n = std::getenv("POOLPROOF_CERTIFIED");
    return n == nullptr ? 2000 : std::strtoull(n, nullptr, 10);
}

}  // namespace

TEST(Certified, is_the_exact_oracle_over_generated_cases) {
    std::map<std::string, Stages> by_op;
    std::uint64_t done = 0;
    const std::uint64_t each = wanted_cases() / profile_names().size();
    for (const std::string& profile : profile_names()) {
        Request request;
        request.seed = 20260101;
        request.profile = profile;
        request.ops = {Op::max_pool,          Op::avg_pool,        Op::smooth_max_pool, Op::adaptive_avg_pool,
                       Op::adaptive_max_pool, Op::global_avg_pool, Op::global_max_pool};
        auto made = generator(request);
        if (!made) {
            request.ops = {Op::max_pool, Op::avg_pool};
            made = generator(request);
        }
        ASSERT_TRUE(made) << message(made.rejection());
        for (std::uint64_t i = 0; i < each; ++i, ++done) {
            const Case c = (*made)(i);
            const Plan settled = *plan(c);
            Stages& stages = by_op[std::string(name(c.op)) + " " + std::string(name(c.mode))];
            const Expected certified = expect(settled, c, {0, slice_count(settled, c)}, &stages);
            ASSERT_EQ(difference(expect(settled, c), certified), "") << write_case(c);
        }
    }
    for (const auto& [op, s] : by_op)
        std::printf("%-28s %9lld certified %7lld refined %7lld exact\n", op.c_str(),
                    static_cast<long long>(s.certified), static_cast<long long>(s.refined),
                    static_cast<long long>(s.exact));
    EXPECT_GE(done + 8, wanted_cases());
}

}  // namespace poolproof
