/* SPDX-License-Identifier: Apache-2.0 */
/* reference.hpp for C99, with return codes in place of exceptions. What is left zero in a structure is its
 * default, so that a 3x3 maximum at stride 2 is
 *
 *     poolproof_axis axes[2] = {{112, 56, 0, 3, 2, 0, 1, 1}, {112, 56, 0, 3, 2, 0, 1, 1}};
 *     poolproof_pooling p = {.axes = axes, .rank = 2, .slices = 512};
 *     if (poolproof_max_forward_f32(&p, x, y, NULL) != POOLPROOF_DONE) puts(poolproof_reference_error());
 */
#ifndef POOLPROOF_REFERENCE_H
#define POOLPROOF_REFERENCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One spatial axis: its extent and the number of its windows. With `bins` not 0 the fields after it are not
 * read. */
typedef struct {
    int64_t extent, out;
    int32_t bins;
    int64_t kernel, stride, dilation; /* 0 counts as 1 */
    int64_t pad_begin, pad_end;
} poolproof_axis;

typedef enum { POOLPROOF_TAPS_REAL, POOLPROOF_TAPS_CLIPPED, POOLPROOF_TAPS_KERNEL } poolproof_taps;

typedef enum {
    POOLPROOF_TIES_FIRST,
    POOLPROOF_TIES_LAST,
    POOLPROOF_TIES_ALL,
    POOLPROOF_TIES_SPLIT
} poolproof_ties;

typedef enum { POOLPROOF_NAN_FIRST, POOLPROOF_NAN_LAST, POOLPROOF_NAN_IGNORE } poolproof_nan;

typedef enum {
    POOLPROOF_EMPTY_ZERO,
    POOLPROOF_EMPTY_IDENTITY,
    POOLPROOF_EMPTY_LOWEST,
    POOLPROOF_EMPTY_NAN
} poolproof_empty;

/* Tensors are contiguous: `slices` blocks of the axes, or with `channels` not 0 (n, axes.., channels), where
 * slices counts n * channels. One to eight axes. */
typedef struct {
    const poolproof_axis* axes;
    int32_t rank;
    int64_t slices;
    poolproof_taps taps;
    int64_t divisor; /* of averages; 0: the number of taps */
    poolproof_ties ties;
    poolproof_nan nan;
    int32_t positive_zero; /* not 0: +0 is greater than -0 */
    poolproof_empty empty;
    int64_t channels;
    int32_t threads;  /* 0 counts as 1 */
    int32_t own_sums; /* not 0: averages of floats are summed in float */
} poolproof_pooling;

typedef enum {
    POOLPROOF_DONE,
    POOLPROOF_REFUSED,  /* a field is outside its range: nothing was written; or an index */
    POOLPROOF_NO_MEMORY /* what was written is unspecified */
} poolproof_code;

/* What was wrong with this thread's last call that was not done. Valid until its next one. */
const char* poolproof_reference_error(void);

/* Pointers are to as many elements as the sizes make; outputs must not overlap inputs. `indices` may be NULL.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): real is a type */
#define POOLPROOF_REFERENCE(format, real)                                                                  \
    poolproof_code poolproof_max_forward_##format(const poolproof_pooling* p, const real* x, real* y,      \
                                                  int64_t* indices);                                       \
    poolproof_code poolproof_max_jvp_##format(const poolproof_pooling* p, const real* x,                   \
                                              const real* tangent, real* dy);                              \
    poolproof_code poolproof_max_vjp_##format(const poolproof_pooling* p, const real* x,                   \
                                              const real* cotangent, real* dx);                            \
    poolproof_code poolproof_max_vjp_at_##format(const poolproof_pooling* p, const int64_t* indices,       \
                                                 const real* cotangent, real* dx);                         \
    poolproof_code poolproof_average_forward_##format(const poolproof_pooling* p, const real* x, real* y); \
    poolproof_code poolproof_average_jvp_##format(const poolproof_pooling* p, const real* tangent,         \
                                                  real* dy);                                               \
    poolproof_code poolproof_average_vjp_##format(const poolproof_pooling* p, const real* cotangent,       \
                                                  real* dx);                                               \
    poolproof_code poolproof_smooth_max_forward_##format(const poolproof_pooling* p, real beta,            \
                                                         const real* x, real* y);                          \
    poolproof_code poolproof_smooth_max_jvp_##format(const poolproof_pooling* p, real beta, const real* x, \
                                                     const real* tangent, real* dy);                       \
    poolproof_code poolproof_smooth_max_vjp_##format(const poolproof_pooling* p, real beta, const real* x, \
                                                     const real* cotangent, real* dx)

/* NOLINTEND(bugprone-macro-parentheses) */

POOLPROOF_REFERENCE(f64, double);
POOLPROOF_REFERENCE(f32, float);

#undef POOLPROOF_REFERENCE

#ifdef __cplusplus
}
#endif

#endif
