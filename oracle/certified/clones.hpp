// SPDX-License-Identifier: Apache-2.0
// Loops over rows are compiled once for each width of vector that the machine may have; results do not depend
// on it, since no operation is fused.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define POOLPROOF_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define POOLPROOF_INDEPENDENT _Pragma("GCC ivdep")  ///< no step of the loop touches what another writes
#define POOLPROOF_UNROLLED _Pragma("GCC unroll 16")
#else
#define POOLPROOF_CLONES
#define POOLPROOF_INDEPENDENT
#define POOLPROOF_UNROLLED
#endif

/// For what loops call: a call would keep them from being compiled to vectors.
#define POOLPROOF_INLINE [[gnu::always_inline]] inline
#define POOLPROOF_INLINE_LAMBDA __attribute__((always_inline))
