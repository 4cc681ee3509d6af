// SPDX-License-Identifier: Apache-2.0
// Which windows are empty is decided twice: by the plan, before any value is seen, where the policy refuses
// them, and by the oracle where it gives them a value. Both say the same of every small axis.
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof {
namespace {

/// Ones, pooled along one axis.
struct Kind {
    const char* name;
    Op op;
    Choices policy;
    bool count_padding = true;
};

std::vector<Kind> kinds() {
    std::vector<Kind> r;
    for (const Divisor divisor : {Divisor::kernel, Divisor::clipped}) {
        Choices c;
        c.divisor = divisor;
        c.ceil_rule = CeilRule::keep;
        c.max_padding = MaxPadding::zero;
        c.smooth_padding = SmoothPadding::zero;
        r.push_back({"padding taken", Op::max_pool, c});
        r.push_back({"padding taken", Op::smooth_max_pool, c});
        r.push_back({"padding taken", Op::avg_pool, c});
        r.push_back({"padding left", Op::avg_pool, c, false});
        c.max_padding = MaxPadding::ignored;
        c.smooth_padding = SmoothPadding::ignored;
        r.push_back({"padding left", Op::max_pool, c});
        r.push_back({"padding left", Op::smooth_max_pool, c});
    }
    return r;
}

Case over_axis(const Kind& kind, Index extent) {
    Case c;
    c.op = kind.op;
    c.policy = kind.policy;
    c.input = Tensor(c.format, {extent});
    if (kind.op == Op::avg_pool) c.attrs.count_include_pad = kind.count_padding;
    if (kind.op == Op::smooth_max_pool) c.attrs.beta = Bits{1023} << 52;
    return c;
}

bool refused(Case c) {
    c.policy.empty_window = EmptyWindow::reject;
    return !plan(c);
}

bool has_an_empty_window(Case c) {
    c.policy.empty_window = EmptyWindow::open;
    const auto values = exact(*plan(c), c).values;
    return std::any_of(values.begin(), values.end(), [](const auto& v) { return v.special == "open"; });
}

TEST(EmptyWindows, AreRefusedWhereOneHasNoValueWEmpty) {
    for (const Kind& kind : kinds()) {
        int empty = 0, full = 0;
        for (Index code = 0; code < 2 * 3 * 3 * 4 * 3 * 4 * 2; ++code) {
            Index rest = code;
            const auto digit = [&](Index base) { return std::exchange(rest, rest / base) % base; };
            const Index extent = 1 + 2 * digit(2);
            Case c = over_axis(kind, extent);
            c.attrs.kernel = {1 + digit(3)};
            c.attrs.dilation = {1 + digit(3)};
            c.attrs.stride = {1 + digit(4)};
            c.attrs.pad_begin = {digit(3)};
            c.attrs.pad_end = {digit(4)};
            c.attrs.ceil_mode = digit(2) == 1;
            if (!plan(c)) continue;
            const bool wanted = has_an_empty_window(c);
            ++(wanted ? empty : full);
            ASSERT_EQ(refused(c), wanted) << kind.name << " " << write_case(c);
        }
        EXPECT_GT(full, 100) << kind.name;
        const bool never =
            kind.policy.divisor == Divisor::kernel && kind.name == std::string("padding taken");
        EXPECT_EQ(empty == 0, never) << kind.name << " " << name(kind.op);
    }
}

}  // namespace
}  // namespace poolproof
