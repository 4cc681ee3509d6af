// SPDX-License-Identifier: Apache-2.0
// A generated case, run and judged, for the tests of backends.
#pragma once

#include <poolproof/backend.hpp>
#include <poolproof/expected.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <stdexcept>

namespace poolproof {

inline Generator cases_of(Request request) {
    auto g = generator(std::move(request));
    if (!g) throw std::invalid_argument(message(g.rejection()));
    return *g;
}

inline Verdict judged(Backend& backend, const Case& c) {
    const auto p = plan(c);
    return p ? judge(expect(*p, c), backend.run(c)) : judge_rejection(backend.run(c));
}

/// What a failed test prints: the case, and where it went wrong.
inline std::string shown(const Case& c, const Verdict& v) {
    std::string s = std::string(name(v.outcome)) + " [" + v.clause + "] " + v.why + "\n" + write_case(c);
    for (const Deviation& d : v.first_deviations)
        s += "\n" + d.output + "[" + std::to_string(d.position) + "] = " + hex_float(c.format, d.got);
    return s;
}

}  // namespace poolproof
