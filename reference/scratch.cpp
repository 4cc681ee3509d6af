// SPDX-License-Identifier: Apache-2.0
#include "reference/scratch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace poolproof::reference {

namespace {

constexpr std::size_t alignment = 64, least_chunk = std::size_t{1} << 16;

struct Release {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{alignment}); }
};

struct Chunk {
    std::unique_ptr<std::byte, Release> memory;
    std::size_t size;
};

/// Chunks before `chunk` are full, those after it empty.
struct Store {
    std::vector<Chunk> chunks;
    std::size_t chunk = 0, used = 0;
};

thread_local Store store;

}  // namespace

Scratch::Scratch() : chunk_(store.chunk), used_(store.used) {}

Scratch::~Scratch() {
    store.chunk = chunk_;
    store.used = used_;
}

void* Scratch::bytes(std::size_t n, std::size_t size) {
    if (n > std::numeric_limits<std::size_t>::max() / 4 / size) throw std::bad_alloc();
    const std::size_t wanted = (n * size + alignment) / alignment * alignment;
    Store& s = store;
    while (s.chunk < s.chunks.size() && s.chunks[s.chunk].size - s.used < wanted) {
        ++s.chunk;
        s.used = 0;
    }
    if (s.chunk == s.chunks.size()) {
        const std::size_t last = s.chunks.empty() ? least_chunk : s.chunks.back().size;
        const std::size_t fresh = std::max(wanted, 2 * last);
        s.chunks.reserve(s.chunk + 1);
        auto* memory = static_cast<std::byte*>(::operator new (fresh, std::align_val_t{alignment}));
        s.chunks.push_back({std::unique_ptr<std::byte, Release>(memory), fresh});
    }
    std::byte* at = s.chunks[s.chunk].memory.get() + s.used;
    s.used += wanted;
    return at;
}

}  // namespace poolproof::reference
