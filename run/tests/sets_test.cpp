// SPDX-License-Identifier: Apache-2.0
#include <poolproof/run.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

/// A failure without sets counts as an answer to an invalid case, so a large one must have them.
TEST(Judged, HasTheSetsOfEveryValidCaseAndOfNoOther) {
    Case large;
    large.op = Op::avg_pool;
    large.input = Tensor(Format::f32, {70'000});
    large.format = Format::f32;
    large.attrs.kernel = {2};
    Case invalid = large;
    invalid.attrs.kernel = {0};
    const std::vector<Case> cases{large, invalid};

    const auto backend = find_backend("reference");
    std::size_t given = 0;
    std::vector<Index> values;
    judge_all(
        **backend,
        [&]() -> std::optional<Subject> {
            if (given == cases.size()) return std::nullopt;
            return Subject{"", cases[given++]};
        },
        [&](const Judged& j) {
            const Expected* sets = j.expected();
            values.push_back(sets == nullptr ? -1 : static_cast<Index>(sets->outputs.front().values.size()));
            return true;
        });
    EXPECT_EQ(values, (std::vector<Index>{35'000, -1}));
}

}  // namespace
}  // namespace poolproof
