// SPDX-License-Identifier: Apache-2.0
// What the actions of `poolproof vectors` share.
#pragma once

#include "cli/command.hpp"

#include <poolproof/plan.hpp>
#include <poolproof/vectors.hpp>

#include <algorithm>
#include <filesystem>

namespace poolproof::cli {

/// What follows the action's name, or nothing.
std::string vectors_operand(const Arguments& a);

/// A rejection that lists the names that there are.
template <class Names>
Rejection unknown_name(const char* option, const std::string& value, const Names& names) {
    std::string known;
    for (const auto& n : names) known += (known.empty() ? "" : ", ") + std::string(n);
    return Rejection{option, "'" + value + "' is not known", "use one of " + known};
}

/// The enumerators that an option names.
template <class Names, class Enum>
std::optional<Rejection> chosen_of(const Arguments& a, const char* option, const Names& names,
                                   std::vector<Enum>& to) {
    for (const std::string& value : a.values(option)) {
        const auto hit = std::find(names.begin(), names.end(), value);
        if (hit == names.end()) return unknown_name(option, value, names);
        to.push_back(static_cast<Enum>(hit - names.begin()));
    }
    return std::nullopt;
}

enum class EveryProfile : bool { refused, allowed };

/// Why there is nothing to do where the options leave no vector.
Rejection none_left();

/// A rejection if --profile names none that there is.
std::optional<Rejection> known_profile(const Arguments& a, EveryProfile every);

/// Which vectors --op, --mode, --dtype, --level, --smoke and --profile mean; `profile` is what counts where
/// none is named. `all` is left for the caller to make sense of.
Checked<VectorFilter> vector_filter(const Arguments& a, const std::string& profile, EveryProfile every);

/// Judges backends by the stored answers.
int judge_vectors(const Arguments& a, VectorBase& base, const std::filesystem::path&);

/// Puts drafts, and cases that were found, into the files: all of them or none.
int add_vectors(const Arguments& a, VectorBase& base, const std::filesystem::path& folder);

}  // namespace poolproof::cli
