// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/run.hpp"
#include "backends/faulty/table.hpp"
#include "backends/reference/backend.hpp"

#include <poolproof/backend.hpp>

#include <algorithm>

namespace poolproof {

namespace {

constexpr std::string_view faulty_prefix = "faulty:";

Backend liar(const faulty::Fault& f) {
    faulty::Rules rules;
    f.lie(rules);
    return {std::string(faulty_prefix) + f.name, "1", f.profile,
            [rules = std::move(rules)](const Case& c) { return faulty::run(rules, c); }};
}

}  // namespace

const std::vector<Liar>& liars() {
    static const std::vector<Liar> all = [] {
        std::vector<Liar> r;
        for (const faulty::Fault& f : faulty::faults()) r.push_back({f.name, f.vice, f.clause});
        return r;
    }();
    return all;
}

Checked<Backend> find_backend(const std::string& name) {
    if (name == "reference") return Backend{name, "1", "torchlean", backends::run_reference};
    const auto& all = faulty::faults();
    const auto found = std::find_if(all.begin(), all.end(), [&](const faulty::Fault& f) {
        return name == std::string(faulty_prefix) + f.name;
    });
    if (found != all.end()) return liar(*found);
    std::string names;
    for (const faulty::Fault& f : all) names += (names.empty() ? "" : ", ") + f.name;
    return Rejection{"backend", "'" + name + "' is not known",
                     "use reference, or faulty:NAME with NAME one of " + names};
}

}  // namespace poolproof
