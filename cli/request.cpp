// SPDX-License-Identifier: Apache-2.0
#include "cli/request.hpp"

#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <algorithm>
#include <limits>

namespace poolproof::cli {

namespace {

/// Finds the enumerators that an option names.
template <class Names, class Enum>
std::optional<Rejection> chosen(const Arguments& a, const char* option, const Names& names,
                                std::vector<Enum>& to) {
    for (const std::string& value : a.values(option)) {
        const auto hit = std::find(names.begin(), names.end(), value);
        if (hit == names.end())
            return Rejection{option, "'" + value + "' is not known", remedy(value, names, "")};
        to.push_back(static_cast<Enum>(hit - names.begin()));
    }
    return std::nullopt;
}

}  // namespace

std::vector<Option> with_request(std::vector<Option> options, std::string_view cases) {
    const Option shared[] = {
        {"--profile", "P", "torchlean, pytorch, onnx or tiny_pool (default: the backend's own)"},
        {"--seed", "N", "which cases to make (default 1)"},
        {"--cases", "N", cases},
        {"--op", "OP", "only this op; may be repeated", true},
        {"--mode", "MODE", "only forward, jvp or vjp; may be repeated", true},
        {"--dtype", "DTYPE", "only this dtype; may be repeated", true},
    };
    options.insert(options.end(), std::begin(shared), std::end(shared));
    return options;
}

std::optional<Rejection> read_request(const Arguments& a, Request& request) {
    const auto seed =
        whole_number("--seed", a.value("--seed").value_or("1"), 0, std::numeric_limits<Index>::max());
    if (!seed) return seed.rejection();
    request.seed = static_cast<std::uint64_t>(*seed);
    request.profile = a.value("--profile");
    const std::vector<std::string_view> profiles(profile_names().begin(), profile_names().end());
    if (request.profile && std::find(profiles.begin(), profiles.end(), *request.profile) == profiles.end())
        return Rejection{"--profile", "'" + *request.profile + "' is not known",
                         remedy(*request.profile, profiles, "")};
    std::array<std::string_view, 8> ops{};
    std::copy_n(op_names.begin(), ops.size(), ops.begin());
    if (auto p = chosen(a, "--op", ops, request.ops)) return p;
    if (auto p = chosen(a, "--mode", mode_names, request.modes)) return p;
    return chosen(a, "--dtype", format_names, request.formats);
}

std::string options_of(const Request& request) {
    std::string s = " --seed " + std::to_string(request.seed);
    if (request.profile) s += " --profile " + *request.profile;
    for (const Op op : request.ops) s += " --op " + std::string(name(op));
    for (const Mode mode : request.modes) s += " --mode " + std::string(name(mode));
    for (const Format f : request.formats) s += " --dtype " + std::string(name(f));
    return s;
}

std::string filter_fields(const Request& request) {
    const auto listed = [](const auto& list) {
        std::string s;
        for (const auto x : list) s += (s.empty() ? "" : ",") + json_string(name(x));
        return "[" + s + "]";
    };
    return "\"ops\":" + listed(request.ops) + ",\"modes\":" + listed(request.modes) +
           ",\"dtypes\":" + listed(request.formats);
}

std::optional<Rejection> read_count(const Arguments& a, Index& cases) {
    const auto text = a.value("--cases");
    if (!text) return std::nullopt;
    const auto n = whole_number("--cases", *text, 1, Index{1} << 40);
    if (!n) return n.rejection();
    cases = *n;
    return std::nullopt;
}

}  // namespace poolproof::cli
