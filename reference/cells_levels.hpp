// SPDX-License-Identifier: Apache-2.0
// Includes POOLPROOF_CELLS_SOURCE once for each level, in a namespace of its own. Every function in it has
// the attributes POOLPROOF_CELLS, or POOLPROOF_CELLS_KERNEL where it is called from elsewhere: g++ takes
// vectors apart before it inlines, as the function's own target asks. No include guard.

namespace baseline {
#define POOLPROOF_CELLS [[gnu::always_inline]] inline
#define POOLPROOF_CELLS_LAMBDA __attribute__((always_inline))
#define POOLPROOF_CELLS_KERNEL
#define POOLPROOF_CELLS_BYTES 16
#include POOLPROOF_CELLS_SOURCE
#undef POOLPROOF_CELLS
#undef POOLPROOF_CELLS_LAMBDA
#undef POOLPROOF_CELLS_KERNEL
#undef POOLPROOF_CELLS_BYTES
}  // namespace baseline

#if defined(__x86_64__) && defined(__GNUC__)

namespace avx2 {
#define POOLPROOF_CELLS [[gnu::target("avx2"), gnu::always_inline]] inline
#define POOLPROOF_CELLS_LAMBDA __attribute__((target("avx2"), always_inline))
#define POOLPROOF_CELLS_KERNEL [[gnu::target("avx2")]]
#define POOLPROOF_CELLS_BYTES 32
#include POOLPROOF_CELLS_SOURCE
#undef POOLPROOF_CELLS
#undef POOLPROOF_CELLS_LAMBDA
#undef POOLPROOF_CELLS_KERNEL
#undef POOLPROOF_CELLS_BYTES
}  // namespace avx2

namespace avx512 {
#define POOLPROOF_CELLS [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw"), gnu::always_inline]] inline
#define POOLPROOF_CELLS_LAMBDA __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw"), always_inline))
#define POOLPROOF_CELLS_KERNEL [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw")]]
#define POOLPROOF_CELLS_BYTES 64
#include POOLPROOF_CELLS_SOURCE
#undef POOLPROOF_CELLS
#undef POOLPROOF_CELLS_LAMBDA
#undef POOLPROOF_CELLS_KERNEL
#undef POOLPROOF_CELLS_BYTES
}  // namespace avx512

#else

namespace avx2 = baseline;
namespace avx512 = baseline;

#endif

#undef POOLPROOF_CELLS_SOURCE
