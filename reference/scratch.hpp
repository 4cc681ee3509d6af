// SPDX-License-Identifier: Apache-2.0
// Memory for one call. Each thread keeps what it once had, so that a call that needs no more than those
// before it allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace poolproof::reference {

/// What is taken through it lives as long as it does. Those of a thread must end in reverse order.
class Scratch {
public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// `n` elements of any value, aligned to 64 bytes. Throws std::bad_alloc.
    template <class T> T* take(std::int64_t n) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        return static_cast<T*>(bytes(static_cast<std::size_t>(n), sizeof(T)));
    }

private:
    static void* bytes(std::size_t n, std::size_t size);

    std::size_t chunk_, used_;  ///< of the thread, before
};

}  // namespace poolproof::reference
