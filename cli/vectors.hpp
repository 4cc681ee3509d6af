// SPDX-License-Identifier: Apache-2.0
// What the actions of `poolproof vectors` share.
#pragma once

#include "cli/command.hpp"

#include <poolproof/vectors.hpp>

#include <algorithm>
#include <filesystem>

namespace poolproof::cli {

/// What follows the action's name, or nothing.
std::string vectors_operand(const Arguments& a);

/// The enumerators that an option names; a rejection lists those that there are.
template <class Names, class Enum>
std::optional<Rejection> chosen_of(const Arguments& a, const char* option, const Names& names,
                                   std::vector<Enum>& to) {
    for (const std::string& value : a.values(option)) {
        const auto hit = std::find(names.begin(), names.end(), value);
        if (hit == names.end()) {
            std::string known;
            for (const auto& n : names) known += (known.empty() ? "" : ", ") + std::string(n);
            return Rejection{option, "'" + value + "' is not known", "use one of " + known};
        }
        to.push_back(static_cast<Enum>(hit - names.begin()));
    }
    return std::nullopt;
}

/// Puts drafts, and cases that were found, into the files: all of them or none.
int add_vectors(const Arguments& a, VectorBase& base, const std::filesystem::path& folder);

}  // namespace poolproof::cli
