// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace poolproof::vectorbase {

/// As 64 hex digits.
std::string sha256(std::string_view bytes);

}  // namespace poolproof::vectorbase
