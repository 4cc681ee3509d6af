// SPDX-License-Identifier: Apache-2.0
// `poolproof explain`: a clause of SPEC.md in its own words.
#include "cli/command.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <utility>

namespace poolproof {

/// docs/SPEC.md under its name; written by the build.
extern const std::vector<std::pair<std::string_view, std::string_view>> clause_texts;

namespace cli {

namespace {

struct Clause {
    std::string_view label, text;
};

/// A clause begins at a line such as **[W1]** and ends before the next clause or heading.
std::vector<Clause> clauses() {
    std::vector<Clause> r;
    const std::string_view spec = clause_texts.front().second;
    for (std::size_t at = 0; at < spec.size();) {
        const std::size_t end = std::min(spec.find('\n', at), spec.size());
        const std::string_view line = spec.substr(at, end - at);
        const bool begins = line.starts_with("**[");
        if (begins) r.push_back({line.substr(3, line.find(']') - 3), spec.substr(at, 0)});
        if (!r.empty() && !line.starts_with("#") && r.back().text.data() != nullptr) {
            const auto from = static_cast<std::size_t>(r.back().text.data() - spec.data());
            if (begins || from + r.back().text.size() + 1 >= at)
                r.back().text = spec.substr(from, end - from);
        }
        at = end + 1;
    }
    return r;
}

bool same(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

int run_explain(const Arguments& a) {
    const auto all = clauses();
    if (a.positional.empty()) {
        for (const Clause& c : all) {
            const std::string_view first = c.text.substr(0, c.text.find('\n'));
            std::printf("%.*s\n", static_cast<int>(first.size()), first.data());
        }
        return Exit::ok;
    }
    for (const std::string& wanted : a.positional) {
        std::string_view label = wanted;
        if (label.size() > 2 && label.front() == '[' && label.back() == ']')
            label = label.substr(1, label.size() - 2);
        const auto hit =
            std::find_if(all.begin(), all.end(), [&](const Clause& c) { return same(c.label, label); });
        if (hit == all.end())
            return refuse({wanted, "is not a clause", "list the clauses with 'poolproof explain'"});
        std::printf("%.*s\n", static_cast<int>(hit->text.size()), hit->text.data());
    }
    return Exit::ok;
}

}  // namespace cli
}  // namespace poolproof
