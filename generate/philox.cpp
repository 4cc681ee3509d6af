// SPDX-License-Identifier: Apache-2.0
#include "generate/philox.hpp"

namespace poolproof::generate {

Block philox(Block c, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
        c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(p0)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return c;
}

Draws::Draws(std::uint64_t seed, std::uint64_t index, std::uint32_t stream)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, stream} {}

void Draws::refill() {
    block_ = philox(counter_, key_);
    ++counter_[2];
    used_ = 0;
}

}  // namespace poolproof::generate
