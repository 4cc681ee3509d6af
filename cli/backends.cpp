// SPDX-License-Identifier: Apache-2.0
// `poolproof backends`: what there is to judge, and whether it answers.
#include "cli/command.hpp"
#include "cli/limits.hpp"

#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <cstdio>

namespace poolproof::cli {

namespace {

/// What becomes of the first case that it covers and that can be judged, in words.
std::string smoke_test(Backend& b) {
    constexpr std::uint64_t tried = 20;
    Request request;
    request.profile = b.declaration().profile;
    auto source = generated_cases(request, b.declaration(), 0, tried);
    if (!source) return message(source.rejection());
    std::string result = "no case of its profile is covered";
    judge_all(b, *source, [&](const Judged& j) {
        result = std::string(name(j.verdict.outcome)) + (j.verdict.why.empty() ? "" : ": " + j.verdict.why);
        return j.verdict.outcome != Outcome::conforms && j.verdict.outcome < Outcome::deviates;
    });
    return result;
}

/// Prints a backend's row; whether it came up.
bool list(const std::string& name, const Limits& limits) {
    const auto row = [&](const std::string& version, const std::string& profile, const std::string& state) {
        std::printf("%-24s %-12s %-10s %s\n", name.c_str(), version.c_str(), profile.c_str(), state.c_str());
    };
    const auto found = find_backend(name, limits);
    const auto why = found ? started(**found) : std::optional(message(found.rejection()));
    if (why) {
        row("-", "-", *why);
        return false;
    }
    Backend& b = **found;
    const std::string& version = b.declaration().version;
    row(version.empty() ? "-" : version, b.declaration().profile, smoke_test(b));
    return true;
}

}  // namespace

int run_backends(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name a backend with --backend"});
    Limits limits;
    if (const auto p = read_limits(a, limits)) return refuse(*p);
    for (const std::string& name : a.values("--backend"))
        if (const auto found = find_backend(name, limits); !found) return refuse(found.rejection());
    std::printf("%-24s %-12s %-10s %s\n", "backend", "version", "profile", "smoke test");
    for (const char* ours : {"reference", "torch"}) list(ours, limits);
    bool all_came_up = true;
    for (const std::string& name : a.values("--backend")) all_came_up &= list(name, limits);
    if (a.has("--faulty"))
        for (const Liar& l : liars())
            std::printf("%-40s [%s] %s\n", ("faulty:" + l.name).c_str(), l.clause.c_str(), l.vice.c_str());
    return all_came_up ? Exit::ok : Exit::backend;
}

}  // namespace poolproof::cli
