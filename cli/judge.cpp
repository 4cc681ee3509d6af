// SPDX-License-Identifier: Apache-2.0
// `poolproof judge`: stored answers against the oracle. Line k of the answers is the reply to case k.
#include "cli/command.hpp"
#include "cli/lines.hpp"
#include "cli/verdict_text.hpp"

#include <poolproof/text.hpp>

#include <memory>

namespace poolproof::cli {

namespace {

struct Count {
    Index judged = 0, bad = 0, not_cases = 0;
};

Observation broke(std::string why) {
    Observation o;
    o.kind = Observation::Kind::broke;
    o.why = std::move(why);
    return o;
}

Observation answer_to(const std::optional<Lines::Line>& line, Format format) {
    if (!line) return broke("there is no answer to this case");
    auto o = line->too_long
                 ? Checked<Observation>(Rejection{"json", "the line is over 1 GiB", "send smaller tensors"})
                 : read_answer(line->text, format);
    return o ? std::move(*o) : broke("malformed: " + message(o.rejection()));
}

std::string judged(const Checked<Case>& c, const std::optional<Lines::Line>& answer, Count& count) {
    const auto settled = c ? plan(*c) : Checked<Plan>(c.rejection());
    const Observation o = answer_to(answer, c ? c->format : Format::f64);
    if (!settled) {
        const Verdict v = judge_rejection(o);
        count.bad += v.outcome >= Outcome::deviates ? 1 : 0;
        ++count.judged;
        return verdict_line(v);
    }
    const Expected expected = expect(*settled, *c);
    const Verdict v = judge(expected, o);
    count.bad += v.outcome >= Outcome::deviates ? 1 : 0;
    count.judged += v.outcome == Outcome::conforms || v.outcome >= Outcome::deviates ? 1 : 0;
    return verdict_line(v, *settled, *c, expected);
}

}  // namespace

int run_judge(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name the answers with --answers"});
    const auto path = a.value("--answers");
    if (!path) return refuse({"--answers", "is missing", "name the file of answers, one line per case"});
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path->c_str(), "rb"), std::fclose);
    if (!file) return refuse({"--answers", "'" + *path + "' cannot be read", "name a file that exists"});

    Lines cases(stdin), answers(file.get(), Lines::Blank::kept);
    Count count;
    while (const auto line = cases.next()) {
        const auto c =
            line->too_long
                ? Checked<Case>(Rejection{"json", "the line is over 1 GiB", "send smaller tensors"})
                : read_case(line->text);
        const auto answer = answers.next();
        std::string text;
        if (!c && c.rejection().field == "json") {
            ++count.not_cases;
            std::fprintf(stderr, "poolproof: line %zu is not a case: %s\n", line->number,
                         message(c.rejection()).c_str());
            text = write_rejection(c.rejection());
        } else {
            text = judged(c, answer, count);
        }
        std::printf("%s\n", text.c_str());
        std::fflush(stdout);
    }
    if (answers.next()) {
        std::fprintf(stderr, "poolproof: --answers has more lines than there are cases\n");
        ++count.not_cases;
    }
    if (count.bad > 0) return Exit::deviates;
    if (count.not_cases > 0) return Exit::bad_input;
    return count.judged > 0 ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli
