// SPDX-License-Identifier: Apache-2.0
#include "cli/features.hpp"

#include <cstdio>

namespace poolproof::cli {

namespace {

constexpr Feature feature(std::size_t k) { return static_cast<Feature>(k); }

const char* text(Feature f) { return name(f).data(); }

}  // namespace

std::optional<Rejection> print_features(const Request& request) {
    const auto made = generator(request);
    if (!made) return made.rejection();
    std::array<Index, feature_count> partners{};
    Index valid = 0, invalid = 0;
    std::string pairs;
    for (std::size_t a = 0; a < feature_count; ++a)
        for (std::size_t b = a + 1; b < feature_count; ++b) {
            const auto why = made->impossible(feature(a), feature(b));
            ++(why ? invalid : valid);
            if (!why) ++partners[a], ++partners[b];
            char line[80];
            std::snprintf(line, sizeof line, "  %-25s %-25s ", text(feature(a)), text(feature(b)));
            pairs += line + why.value_or("valid") + "\n";
        }
    std::printf("%zu features, and how many others each can meet in a case under profile %s:\n\n",
                feature_count, request.profile->c_str());
    for (std::size_t k = 0; k < feature_count; ++k)
        std::printf("  %-25s %3lld\n", text(feature(k)), static_cast<long long>(partners[k]));
    std::printf("\n%lld pairs are valid, and %lld are not, for the reason that stands there:\n\n%s",
                static_cast<long long>(valid), static_cast<long long>(invalid), pairs.c_str());
    return std::nullopt;
}

}  // namespace poolproof::cli
