// SPDX-License-Identifier: Apache-2.0
#include <poolproof/reference.h>

#include <gtest/gtest.h>

extern "C" int poolproof_c_interface_failure(void);

namespace {

TEST(ReferenceForC, ComputesAndRefusesAsForCxx) { EXPECT_EQ(poolproof_c_interface_failure(), 0); }

TEST(ReferenceForC, RefusesChoicesThatThereAreNot) {
    poolproof_axis axis{};
    axis.extent = axis.out = 1;
    poolproof_pooling p{};
    p.axes = &axis;
    p.rank = 1;
    p.slices = 1;
    const double x = 3;
    double y = 99;
    p.nan = static_cast<poolproof_nan>(3);
    EXPECT_EQ(poolproof_max_forward_f64(&p, &x, &y, nullptr), POOLPROOF_REFUSED);
    p.nan = POOLPROOF_NAN_IGNORE;
    p.rank = 9;
    EXPECT_EQ(poolproof_max_forward_f64(&p, &x, &y, nullptr), POOLPROOF_REFUSED);
    p.rank = 1;
    EXPECT_EQ(y, 99);
    EXPECT_EQ(poolproof_max_forward_f64(&p, &x, &y, nullptr), POOLPROOF_DONE);
    EXPECT_EQ(y, 3);
}

}  // namespace
