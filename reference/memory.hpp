// SPDX-License-Identifier: Apache-2.0
// Hints on what will be read soon and what will not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace poolproof::reference {

/// Asks for memory that will be read soon; it need not be anyone's.
[[gnu::always_inline]] inline void prefetch_at(std::uintptr_t at, std::int64_t bytes) {
    constexpr std::int64_t line = 64;
    constexpr int to_read = 0, nearest = 3;
    // NOLINTBEGIN(performance-no-int-to-ptr): past the end of an array no pointer may be formed
    for (std::int64_t b = 0; b < bytes; b += line)
        __builtin_prefetch(reinterpret_cast<const void*>(at + static_cast<std::uintptr_t>(b)), to_read,
                           nearest);
    // NOLINTEND(performance-no-int-to-ptr)
}

/// A part of the nearest cache.
inline constexpr std::uintptr_t asked_ahead = 12 << 10;

/// The same so far after `from`.
[[gnu::always_inline]] inline void prefetch(const void* from, std::int64_t bytes) {
    prefetch_at(reinterpret_cast<std::uintptr_t>(from) + asked_ahead, bytes);
}

/// Tensors from this size on come from far, and are waited for.
inline constexpr std::int64_t far_bytes = std::int64_t{1} << 20;

/// Outputs from this size on are written past the caches.
inline constexpr std::int64_t streamed_bytes = std::int64_t{8} << 20;

/// How outputs are written: into the nearest caches, or into others, which had better be asked for them, or
/// past all.
enum class Writing { near, far, past };

inline Writing writing_of(std::size_t bytes) {
    const auto n = static_cast<std::int64_t>(bytes);
    return n >= streamed_bytes ? Writing::past : n >= far_bytes ? Writing::far : Writing::near;
}

/// Copies past the caches, where the machine can. Others see it after `streamed`.
[[gnu::always_inline]] inline void stream(const void* from, void* to, std::int64_t bytes) {
    const auto* source = static_cast<const char*>(from);
    auto* target = static_cast<char*>(to);
#if defined(__SSE2__)
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target) % 16);
    const std::int64_t head = past == 0 || bytes < 32 ? 0 : 16 - past;
    if (head > 0) std::memcpy(target, source, static_cast<std::size_t>(head));
    std::int64_t b = head;
    if (bytes >= 32)
        for (; b + 16 <= bytes; b += 16)
            _mm_stream_si128(reinterpret_cast<__m128i*>(target + b),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + b)));
    if (b < bytes) std::memcpy(target + b, source + b, static_cast<std::size_t>(bytes - b));
#else
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
#endif
}

/// The same in one place, for what is seldom done.
[[gnu::noinline]] inline void stream_few(const void* from, void* to, std::int64_t bytes) {
    stream(from, to, bytes);
}

inline void streamed() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace poolproof::reference
