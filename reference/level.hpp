// SPDX-License-Identifier: Apache-2.0
// One source, several instruction sets. The kernels for rows are plain loops that a compiler turns into
// vectors; each is compiled once for every level, with all that it calls, and the machine decides at run time
// which is taken. Those for cells are written in vectors; see cells_levels.hpp. All levels give the same
// bits.
#pragma once

#include <cstdint>

namespace poolproof::reference {

enum class Level : std::uint8_t { baseline, avx2, avx512 };

/// The widest that this machine has, up to the limit.
Level level();

/// For tests: from now on no level above `most`, in all threads.
void limit_level(Level most);

template <auto kernel> struct Compiled;

template <class... A, void (*kernel)(A...)> struct Compiled<kernel> {
#if defined(__x86_64__) && defined(__GNUC__)
    [[gnu::target("avx2"), gnu::flatten]] static void avx2(A... a) { kernel(a...); }

    [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw"), gnu::flatten]] static void avx512(A... a) {
        kernel(a...);
    }
#else
    static void avx2(A... a) { kernel(a...); }
    static void avx512(A... a) { kernel(a...); }
#endif
};

/// That of three kernels which is for the level.
template <class F> constexpr F chosen(Level l, F baseline, F avx2, F avx512) {
    return l == Level::avx512 ? avx512 : l == Level::avx2 ? avx2 : baseline;
}

/// The bytes of a register.
constexpr std::int64_t register_bytes(Level l) { return chosen<std::int64_t>(l, 16, 32, 64); }

/// The kernel as compiled for the level.
template <auto kernel> auto compiled(Level l) {
    switch (l) {
        case Level::avx512: return &Compiled<kernel>::avx512;
        case Level::avx2: return &Compiled<kernel>::avx2;
        case Level::baseline: break;
    }
    return kernel;
}

}  // namespace poolproof::reference
