// SPDX-License-Identifier: Apache-2.0
// The commands of the program, each a row with its options and what it does.
#pragma once

#include "cli/options.hpp"

#include <poolproof/backend.hpp>

namespace poolproof::cli {

/// The exit codes of the contract. Where several apply the first of untrusted, deviates, backend,
/// nothing_judged, expectations, incomplete wins.
enum Exit : int {
    ok = 0,
    deviates = 1,
    bad_input = 2,
    expectations = 3,
    nothing_judged = 4,
    incomplete = 5,
    backend = 6,
    untrusted = 7,
    defect = 70,
};

struct Command {
    std::string_view name;
    std::string_view summary;   ///< one line, for the list of commands
    std::string_view operands;  ///< after the options in the usage line
    std::string_view about;     ///< paragraphs for --help
    std::vector<Option> options;
    int (*run)(const Arguments&);
};

int run_oracle(const Arguments&);
int run_expect(const Arguments&);
int run_explain(const Arguments&);
int run_judge(const Arguments&);
int run_check(const Arguments&);
int run_cases(const Arguments&);
int run_backends(const Arguments&);
int run_adapter(const Arguments&);
int run_bench(const Arguments&);
int run_fuzz(const Arguments&);
int run_replay(const Arguments&);
int run_reduce(const Arguments&);
int run_laws(const Arguments&);
int run_mutants(const Arguments&);
int run_vectors(const Arguments&);

const std::vector<Command>& commands();

/// Whether a backend follows whatever policy a case names: our own in this process.
bool obeys_policies(const std::string& backend_name);

/// Prints a rejection on standard error and gives its exit code.
int refuse(const Rejection& r);

/// Brings a backend up, and warns of what it declares and nobody knows; why it did not come, if so.
std::optional<std::string> started(Backend& b);

/// The same as `refuse` for a backend that did not start, or is gone; after an interrupt, which may be why,
/// that code.
int backend_trouble(const std::string& why);

}  // namespace poolproof::cli
