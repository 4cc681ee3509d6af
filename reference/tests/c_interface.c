/* SPDX-License-Identifier: Apache-2.0 */
/* The C header as a C99 program sees it; called by c_interface_test.cpp, to which it gives the line that failed. */
#include <poolproof/reference.h>
#include <stddef.h>
#include <string.h>

#define EXPECT(condition) \
    if (!(condition)) return __LINE__

int poolproof_c_interface_failure(void);

int poolproof_c_interface_failure(void) {
    poolproof_axis axes[2] = {{2, 1, 0, 2, 2, 0, 0, 0}, {4, 2, 0, 2, 2, 0, 0, 0}};
    poolproof_pooling p = {.axes = axes, .rank = 2, .slices = 1};
    const double x[8] = {1, 5, 3, 3, 5, 2, 3, 0}, t[8] = {1, 2, 3, 4, 5, 6, 7, 8}, g[2] = {8, 4};
    const float xf[8] = {1, 5, 3, 3, 5, 2, 3, 0};
    double y[2], dy[2], dx[8];
    float yf[2];
    int64_t at[2];

    EXPECT(poolproof_max_forward_f64(&p, x, y, at) == POOLPROOF_DONE);
    EXPECT(y[0] == 5 && y[1] == 3 && at[0] == 1 && at[1] == 2);
    EXPECT(poolproof_max_forward_f32(&p, xf, yf, NULL) == POOLPROOF_DONE);
    EXPECT(yf[0] == 5 && yf[1] == 3);
    EXPECT(poolproof_max_jvp_f64(&p, x, t, dy) == POOLPROOF_DONE);
    EXPECT(dy[0] == 2 && dy[1] == 3);
    EXPECT(poolproof_max_vjp_f64(&p, x, g, dx) == POOLPROOF_DONE);
    EXPECT(dx[0] == 0 && dx[1] == 8 && dx[2] == 4 && dx[4] == 0);
    dx[1] = 0;
    EXPECT(poolproof_max_vjp_at_f64(&p, at, g, dx) == POOLPROOF_DONE);
    EXPECT(dx[1] == 8 && dx[2] == 4);
    p.ties = POOLPROOF_TIES_LAST;
    EXPECT(poolproof_max_forward_f64(&p, x, y, at) == POOLPROOF_DONE);
    EXPECT(at[0] == 4 && at[1] == 6);

    EXPECT(poolproof_average_forward_f64(&p, x, y) == POOLPROOF_DONE);
    EXPECT(y[0] == 3.25 && y[1] == 2.25);
    EXPECT(poolproof_average_jvp_f64(&p, t, dy) == POOLPROOF_DONE);
    EXPECT(dy[0] == 3.5 && dy[1] == 5.5);
    p.divisor = 8;
    EXPECT(poolproof_average_vjp_f64(&p, g, dx) == POOLPROOF_DONE);
    EXPECT(dx[0] == 1 && dx[1] == 1 && dx[2] == 0.5 && dx[5] == 1 && dx[7] == 0.5);

    EXPECT(poolproof_smooth_max_forward_f64(&p, 1000, x, y) == POOLPROOF_DONE);
    EXPECT(y[0] > 5 && y[0] < 5.001);
    EXPECT(poolproof_smooth_max_jvp_f64(&p, 1000, x, t, dy) == POOLPROOF_DONE);
    EXPECT(dy[0] == 3.5);
    EXPECT(poolproof_smooth_max_vjp_f64(&p, 1000, x, g, dx) == POOLPROOF_DONE);
    EXPECT(dx[1] == 4 && dx[4] == 4 && dx[0] == 0);

    p.divisor = 0;
    p.channels = 2; /* which do not divide 3 */
    p.slices = 3;
    y[0] = 99;
    EXPECT(poolproof_average_forward_f64(&p, x, y) == POOLPROOF_REFUSED);
    EXPECT(strstr(poolproof_reference_error(), "channels") != NULL && y[0] == 99);
    EXPECT(poolproof_average_forward_f64(NULL, x, y) == POOLPROOF_REFUSED);
    p.channels = 0;
    EXPECT(poolproof_average_forward_f64(&p, NULL, y) == POOLPROOF_REFUSED);
    p.slices = 0;
    EXPECT(poolproof_average_forward_f64(&p, NULL, NULL) == POOLPROOF_DONE);
    return 0;
}
