// SPDX-License-Identifier: Apache-2.0
// Generated cases as they suit a backend.
#include <poolproof/run.hpp>

#include <algorithm>

namespace poolproof {

namespace {

constexpr std::uint64_t one_in_as_drawn = 16, one_in_repeated = 32, one_in_invalid = 32;
constexpr std::uint64_t invalid_place = 17;  // beside those that are repeated, as drawn or steered
constexpr std::uint64_t tries_for_a_covered_case = 16;
constexpr Index most_spatial_rank = 5;

/// What both lists allow, an empty list being everything; nothing if that is nothing.
template <class T>
std::optional<std::vector<T>> both(const std::vector<T>& wanted,
                                   const std::optional<std::vector<T>>& declared) {
    if (!declared) return wanted;
    std::vector<T> r;
    for (const T& one : *declared)
        if (wanted.empty() || std::find(wanted.begin(), wanted.end(), one) != wanted.end()) r.push_back(one);
    if (r.empty()) return std::nullopt;
    return r;
}

/// The request, narrowed to what a capability covers and made under its policy; nothing if no case is left.
std::optional<Request> narrowed(Request r, const Capability& can) {
    const auto ops = both(r.ops, can.ops);
    const auto modes = both(r.modes, can.modes);
    const auto formats = both(r.formats, can.formats);
    const auto ranks = both(r.spatial_ranks, can.spatial_ranks);
    if (!ops || !modes || !formats || !ranks) return std::nullopt;
    r.ops = *ops;
    r.modes = *modes;
    r.formats = *formats;
    r.spatial_ranks = *ranks;
    const auto made = [](Index rank) { return rank >= 1 && rank <= most_spatial_rank; };
    if (!ranks->empty() && std::none_of(ranks->begin(), ranks->end(), made)) return std::nullopt;
    std::erase_if(r.spatial_ranks, [&](Index rank) { return !made(rank); });
    r.policy = overlaid(can.policy, r.policy);
    return r;
}

struct Generators {
    std::vector<Generator> all;
    bool of_what_is_declared = true;
};

/// One generator for each capability, whose cases take turns; where no case of the request is declared, that
/// of the request, so that what is not covered is counted.
Checked<Generators> generators(const Request& request, const Declaration& d) {
    Generators r;
    for (const Capability& can : d.capabilities.empty() ? std::vector<Capability>(1) : d.capabilities) {
        const auto own = narrowed(request, can);
        if (!own) continue;
        if (auto g = generator(*own)) r.all.push_back(std::move(*g));
    }
    if (!r.all.empty()) return r;
    auto of_request = generator(request);
    if (!of_request) return of_request.rejection();
    return Generators{{std::move(*of_request)}, false};
}

Case drawn(const std::vector<Generator>& generators, const Declaration& declaration, std::uint64_t index) {
    if (index % one_in_invalid == invalid_place && rejects(declaration)) {
        Case c = generators[index / one_in_invalid % generators.size()].invalid(index);
        if (rejects(declaration, c)) return c;
    }
    Case c = generators[index % generators.size()](index);
    return index % one_in_as_drawn == one_in_as_drawn - 1 ? c : completed(std::move(c));
}

}  // namespace

Checked<Source> generated_cases(const Request& request, const Declaration& declaration, std::uint64_t first,
                                std::uint64_t count) {
    auto made = generators(request, declaration);
    if (!made) return made.rejection();
    const std::uint64_t most = made->of_what_is_declared ? count * tries_for_a_covered_case : count;
    return Source([generators = std::move(made->all), declaration, index = first, left = count,
                   tries = most]() mutable {
        if (left == 0 || tries == 0) return std::optional<Subject>();
        const std::uint64_t i = index++;
        --tries;
        Subject s{"case " + std::to_string(i), drawn(generators, declaration, i), i % one_in_repeated == 0};
        if (covers(declaration, s.c)) --left;
        return std::optional(std::move(s));
    });
}

Checked<std::size_t> valid_pairs(const Request& request, const Declaration& declaration) {
    const auto made = generators(request, declaration);
    if (!made) return made.rejection();
    std::size_t n = 0;
    for (std::size_t a = 0; a < feature_count; ++a)
        for (std::size_t b = a + 1; b < feature_count; ++b)
            n += std::any_of(made->all.begin(), made->all.end(),
                             [&](const Generator& g) {
                                 return !g.impossible(static_cast<Feature>(a), static_cast<Feature>(b));
                             })
                     ? 1
                     : 0;
    return n;
}

Checked<Case> generated_case(const Request& request, const Declaration& declaration, std::uint64_t index) {
    const auto made = generators(request, declaration);
    if (!made) return made.rejection();
    return drawn(made->all, declaration, index);
}

}  // namespace poolproof
