// SPDX-License-Identifier: Apache-2.0
#include "cli/judging.hpp"

#include <poolproof/text.hpp>

#include <cstdio>

namespace poolproof::cli {

namespace {

constexpr std::size_t longest_line = 6000, beginning = 300;

bool judge_refuses_wrong_answers() {
    const auto c =
        read_case(R"({"op":"avg_pool","attrs":{"kernel":[3]},"input":{"shape":[3],"data":[1,2,4]}})");
    const Expected expected = expect(*plan(*c), *c);
    const auto outcome = [&](const char* reply) {
        return judge(expected, *read_answer(reply, asked_outputs(*c))).outcome;
    };
    return outcome(R"({"outputs":{"y":{"shape":[1],"data":["0x1.2aaaaaaaaaaabp+1"]}}})") ==
               Outcome::conforms &&
           outcome(R"({"outputs":{"y":{"shape":[1],"data":["0x1.2aaaaaaabp+1"]}}})") == Outcome::deviates &&
           outcome(R"({"outputs":{"y":{"shape":[1],"data":["nan"]}}})") == Outcome::deviates &&
           outcome(R"({"outputs":{"y":{"shape":[],"data":["0x1.2aaaaaaaaaaabp+1"]}}})") ==
               Outcome::deviates &&
           outcome(R"({"rejected":"no"})") == Outcome::deviates &&
           outcome(R"({"declined":"no"})") == Outcome::declined;
}

}  // namespace

bool judge_can_be_trusted() {
    if (judge_refuses_wrong_answers()) return true;
    std::fprintf(stderr, "poolproof: the self-check failed: the judge accepts wrong answers\n");
    return false;
}

std::string shown_case(const Case& c) {
    std::string text = write_case(c);
    if (text.size() <= longest_line) return text;
    return text.substr(0, beginning) + " .. (" + std::to_string(text.size()) +
           " characters; --report or --json keep it whole)";
}

std::string likeness(const Explanation& e) {
    return "  like " + e.name + ": " + e.vice + " It explains " + std::to_string(e.explained) + " of " +
           std::to_string(e.of) + " wrong values.\n";
}

void print_failure(const Judged& j, const std::string& like) {
    const std::string text =
        j.plan == nullptr ? verdict_text(j.verdict) : verdict_text(j.verdict, *j.plan, j.subject.c);
    std::printf("%s %s%s", j.subject.label.c_str(), text.c_str(), like.c_str());
    if (!j.observation.talk.empty()) std::printf("  it said:\n%s\n", j.observation.talk.c_str());
    std::printf("  case       %s\n\n", shown_case(j.subject.c).c_str());
}

std::string reply_text(const Observation& o) {
    static constexpr std::array<const char*, 5> kinds{"outputs", "declined", "rejected", "failed", "broke"};
    const std::string key = kinds[static_cast<std::size_t>(o.kind)];
    if (o.kind != Observation::Kind::answered) return "{" + json_string(key) + ":" + json_string(o.why) + "}";
    std::string outputs;
    for (const auto& [name, tensor] : o.outputs)
        outputs +=
            (outputs.empty() ? "" : ",") + json_string(name) + ":" + write_tensor(tensor, TensorForm::data);
    return "{\"outputs\":{" + outputs + "}}";
}

}  // namespace poolproof::cli
