// SPDX-License-Identifier: Apache-2.0
// An implementation under test, as the harness sees it: a case in, an observation out.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>
#include <poolproof/rejection.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poolproof {

struct Backend {
    std::string name, version;
    std::string profile = "torchlean";  ///< the one it declares
    std::function<Observation(const Case&)> run;
};

/// A backend by the name that `--backend` takes: `reference`, or `faulty:NAME`. The rejection names those
/// there are.
Checked<Backend> find_backend(const std::string& name);

/// One deliberate liar: its name, its vice in one sentence, and the clause that must catch it.
struct Liar {
    std::string name, vice, clause;
};

const std::vector<Liar>& liars();

}  // namespace poolproof
