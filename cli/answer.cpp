// SPDX-License-Identifier: Apache-2.0
// `poolproof oracle` and `poolproof expect`: case lines in, one answer line each, in constant memory.
#include "cli/command.hpp"
#include "cli/lines.hpp"
#include "cli/output.hpp"

#include <poolproof/expected.hpp>
#include <poolproof/text.hpp>

#include <functional>

namespace poolproof::cli {

namespace {

/// Answers every line; a line that is no case at all is named on standard error and makes the exit code 2.
int answer_lines(const std::function<std::string(const Plan&, const Case&)>& answer) {
    Lines lines(stdin);
    bool all_were_cases = true;
    while (const auto line = lines.next()) {
        const auto c =
            line->too_long
                ? Checked<Case>(Rejection{"json", "the line is over 1 GiB", "send smaller tensors"})
                : read_case(line->text);
        std::string text;
        if (!c) {
            text = write_rejection(c.rejection());
            if (c.rejection().field == "json") {
                all_were_cases = false;
                std::fprintf(stderr, "poolproof: line %zu is not a case: %s\n", line->number,
                             message(c.rejection()).c_str());
            }
        } else if (const auto settled = plan(*c)) {
            text = answer(*settled, *c);
        } else {
            text = write_rejection(settled.rejection());
        }
        print_line(text);
    }
    if (const auto p = lines.unread("standard input")) return refuse(*p);
    return all_were_cases ? Exit::ok : Exit::bad_input;
}

int no_operands(const Arguments& a) {
    if (a.positional.empty()) return Exit::ok;
    return refuse({a.positional.front(), "is not expected here", "send cases on standard input"});
}

}  // namespace

int run_oracle(const Arguments& a) {
    if (const int code = no_operands(a)) return code;
    const auto bits = whole_number("--bits", a.value("--bits").value_or("100"), 1, 4000);
    if (!bits) return refuse(bits.rejection());
    return answer_lines(
        [&](const Plan& p, const Case& c) { return write_exact(exact(p, c, static_cast<int>(*bits))); });
}

int run_expect(const Arguments& a) {
    if (const int code = no_operands(a)) return code;
    return answer_lines([](const Plan& p, const Case& c) { return write_expected(expect(p, c)); });
}

}  // namespace poolproof::cli
