// SPDX-License-Identifier: Apache-2.0
#include "backends/child/channel.hpp"

#include <poolproof/plan.hpp>
#include <poolproof/rehearsal.hpp>
#include <poolproof/run.hpp>
#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <algorithm>

namespace poolproof {

namespace {

using child::Channel;
using child::Clock;
using protocol::Framing;
using protocol::Message;

constexpr std::uint64_t reply_bytes = std::uint64_t{64} << 20;
constexpr std::size_t shown_bytes = 400;
constexpr std::size_t ahead = 64;

std::string cut(std::string s) {
    if (s.size() > shown_bytes) s = s.substr(0, shown_bytes) + " .. (" + std::to_string(s.size()) + " bytes)";
    return s;
}

/// The message with a field that nobody knows in front.
std::string with_unknown_field(const std::string& object) {
    return R"({"later":{"x":[1]},)" + object.substr(1);
}

class Rehearsal {
public:
    Rehearsal(std::vector<std::string> command, const Limits& limits)
        : command_(std::move(command)), limits_(limits) {}

    std::vector<RehearsalStep> all() {
        if (greets() && cases_are_found()) {
            answers_one();
            ignores_unknown_fields();
            answers_ahead("it answers requests that are written ahead, in order", Framing::lines);
            rejects_what_is_invalid();
            ends_with_its_input();
            answers_ahead("it answers in frames, as it said", Framing::binary);
        }
        return std::move(steps_);
    }

private:
    bool greets();
    bool cases_are_found();
    void answers_one();
    void ignores_unknown_fields();
    void answers_ahead(const char* name, Framing framing);
    void rejects_what_is_invalid();
    void ends_with_its_input();

    std::optional<Channel> started(const char* step_name, Framing offered = Framing::lines,
                                   bool with_unknown = false);
    void says_nothing_more(Channel& c);
    Checked<Message> next(Channel& c) {
        const auto allowed =
            limits_.deadline.count() > 0 ? limits_.deadline : std::chrono::milliseconds(60'000);
        return c.receive(Clock::now() + allowed, reply_bytes, limits_);
    }
    bool step(const char* name, bool passed, std::string sent, std::string came,
              const std::string& expected) {
        steps_.push_back({name, passed, printable(cut(std::move(sent))), printable(cut(std::move(came))),
                          printable(expected)});
        return passed;
    }
    /// A step whose request is one case and whose reply has to be like that of the first.
    void asks(const char* name, Channel& c, const std::string& request, Index id);
    std::string came_instead(Channel& c, const Rejection& r) const {
        return r.reason + (c.talk().empty() ? "" : "; on standard error: " + cut(c.talk()));
    }

    std::vector<std::string> command_;
    Limits limits_;
    std::vector<RehearsalStep> steps_;
    protocol::Hello hello_;
    std::vector<Case> cases_;
};

/// A process that has been greeted; one that does not answer as it should is a failed step of this name.
std::optional<Channel> Rehearsal::started(const char* step_name, Framing offered, bool with_unknown) {
    const bool offers_frames = offered == Framing::binary;
    std::string sent = protocol::write_hello(offers_frames);
    if (with_unknown) sent = with_unknown_field(sent);
    const auto failed = [&](std::string came) {
        step(step_name, false, sent, std::move(came), "a greeting, as before");
        return std::nullopt;
    };
    auto process = child::Process::start(command_);
    if (!process) return failed(message(process.rejection()));
    Channel c(std::move(*process));
    c.send({sent, {}});
    const auto line = c.receive(Clock::now() + limits_.start, reply_bytes, limits_);
    if (!line) return failed(came_instead(c, line.rejection()));
    const auto read = protocol::read_hello(line->head);
    if (!read) return failed(line->head + ": " + message(read.rejection()));
    if (offers_frames && read->framing == Framing::binary) c.use_frames(read->checksum);
    return c;
}

bool Rehearsal::greets() {
    const std::string sent = protocol::write_hello(false);
    const char* expected =
        R"(a line {"type":"hello","protocol":1,..} with name, version, profile and capabilities)";
    auto process = child::Process::start(command_);
    if (!process) return step(start_step, false, command_.front(), message(process.rejection()), "a process");
    Channel c(std::move(*process));
    c.send({sent, {}});
    const auto line = c.receive(Clock::now() + limits_.start, reply_bytes, limits_);
    if (!line) return step("it greets", false, sent, came_instead(c, line.rejection()), expected);
    const auto read = protocol::read_hello(line->head);
    if (!read)
        return step("it greets", false, sent, line->head,
                    std::string(expected) + ": " + message(read.rejection()));
    hello_ = *read;
    step("it greets", true, sent, line->head, expected);
    std::string unknown;
    for (const Rejection& r : read->declaration.unknown)
        unknown += (unknown.empty() ? "" : "\n") + message(r);
    step("it declares what is known", unknown.empty(), sent, unknown, "names of docs/ADAPTERS.md");
    const char* tolerant = "it ignores fields of the greeting that it does not know";
    return started(tolerant, Framing::lines, true) &&
           step(tolerant, true, with_unknown_field(sent), "a greeting", "a greeting all the same");
}

bool Rehearsal::cases_are_found() {
    const Request request{.seed = 1, .profile = hello_.declaration.profile};
    auto source = generated_cases(request, hello_.declaration, 0, ahead);
    if (source)
        for (auto s = (*source)(); s; s = (*source)())
            if (covers(hello_.declaration, s->c)) cases_.push_back(s->c);
    return step("its declaration covers cases of its profile", !cases_.empty(),
                "the profile " + hello_.declaration.profile,
                source ? std::to_string(cases_.size()) + " covered cases" : message(source.rejection()),
                "at least one op, mode, dtype and rank that the profile has");
}

void Rehearsal::asks(const char* name, Channel& c, const std::string& request, Index id) {
    const std::string expected = R"({"id":)" + std::to_string(id) +
                                 R"(,"outputs":{..}} with permitted values, or declined with a reason)";
    c.send({request, {}});
    const auto line = next(c);
    if (!line) return void(step(name, false, request, came_instead(c, line.rejection()), expected));
    const auto reply = protocol::read_reply(*line, cases_.front());
    if (!reply)
        return void(step(name, false, request, line->head, expected + ": " + message(reply.rejection())));
    const Verdict v = judge_case(*plan(cases_.front()), cases_.front(), reply->observation);
    const bool right = reply->id == id && v.outcome < Outcome::deviates;
    step(name, right, request, line->head,
         expected + (v.outcome < Outcome::deviates ? "" : "; judged: deviates [" + v.clause + "] " + v.why));
}

void Rehearsal::answers_one() {
    auto c = started("it answers a case");
    if (!c) return;
    asks("it answers a case", *c, protocol::write_run(1, cases_.front(), protocol::Framing::lines).head, 1);
    asks("it repeats any id", *c,
         protocol::write_run(4'000'000'001, cases_.front(), protocol::Framing::lines).head, 4'000'000'001);
}

void Rehearsal::ignores_unknown_fields() {
    const char* name = "it ignores fields of a request that it does not know";
    auto c = started(name);
    if (!c) return;
    asks(name, *c, with_unknown_field(protocol::write_run(2, cases_.front(), protocol::Framing::lines).head),
         2);
}

/// All cases without waiting. In frames, only of those that take them.
void Rehearsal::answers_ahead(const char* name, Framing framing) {
    constexpr Index first = 10;
    auto c = started(name, framing);
    if (!c || c->framing() != framing) return;
    const auto id = [](std::size_t k) { return first + static_cast<Index>(k); };
    for (std::size_t k = 0; k < cases_.size(); ++k) c->send(protocol::write_run(id(k), cases_[k], framing));
    const std::string sent = std::to_string(cases_.size()) + " requests with ids from 10, without waiting";
    std::size_t answered = 0;
    std::string why_not;
    for (std::size_t k = 0; k < cases_.size(); ++k) {
        const auto m = next(*c);
        const auto reply = m ? protocol::read_reply(*m, cases_[k]) : Checked<protocol::Reply>(m.rejection());
        if (!reply || reply->id != id(k))
            return void(step(name, false, sent, m ? m->head : came_instead(*c, m.rejection()),
                             "the reply to id " + std::to_string(id(k)) +
                                 ", replies in the order of requests" +
                                 (m && !reply ? ": " + message(reply.rejection()) : "")));
        const bool is_answer = reply->observation.kind == Observation::Kind::answered;
        answered += is_answer ? 1 : 0;
        if (!is_answer) why_not = "; it said: " + reply->observation.why;
    }
    step(name, true, sent, std::to_string(cases_.size()) + " replies in order", "as many replies in order");
    if (framing == Framing::lines)
        step("it answers cases that it declares", answered > 0, sent,
             std::to_string(answered) + " answers" + why_not, "an answer to at least one of them");
    says_nothing_more(*c);
}

/// After the last reply, and the end of its input.
void Rehearsal::says_nothing_more(Channel& c) {
    c.process().in.reset();
    c.process().frames_in.reset();
    const auto more = c.receive(Clock::now() + std::chrono::seconds(5), reply_bytes, limits_);
    const bool cut_off = !more && more.rejection().reason.find("middle of a message") != std::string::npos;
    const char* name = c.framing() == Framing::lines ? "it writes nothing after the last reply"
                                                     : "it writes nothing after the last reply in frames";
    step(name, !more && !cut_off, "the end of its input",
         more ? more->head : came_instead(c, more.rejection()), "no more than the replies");
}

/// Asked only of what it says it rejects: many an implementation leaves the check of arguments to its caller.
void Rehearsal::rejects_what_is_invalid() {
    const auto checked = std::find_if(cases_.begin(), cases_.end(),
                                      [&](const Case& c) { return rejects(hello_.declaration, c); });
    if (checked == cases_.end()) return;
    const char* name = "it rejects a case that is invalid, as it declares, here a tensor of rank 0";
    auto c = started(name);
    if (!c) return;
    Case wrong = *checked;
    wrong.input = Tensor(wrong.format, {});  // a rank that fits no op
    wrong.tangent.reset();
    wrong.cotangent.reset();
    wrong.mode = Mode::forward;
    const Message m = protocol::write_run(3, wrong, protocol::Framing::lines);
    c->send(m);
    const auto line = next(*c);
    const auto reply = line ? protocol::read_reply(*line, wrong) : Checked<protocol::Reply>(line.rejection());
    step(name,
         reply && reply->id == 3 &&
             (reply->observation.kind == Observation::Kind::rejected ||
              reply->observation.kind == Observation::Kind::declined),
         m.head, line ? line->head : came_instead(*c, line.rejection()),
         R"({"id":3,"rejected":"why"}; its process lives on)");
}

void Rehearsal::ends_with_its_input() {
    const char* name = "it exits with 0 when its input ends";
    auto c = started(name);
    if (!c) return;
    c->process().in.reset();
    c->process().frames_in.reset();
    const auto how = c->process().ended_within(5000);
    step(name, how == "exited with 0", "the end of its standard input",
         how.value_or("it lives on after 5 seconds"), "exited with 0");
}

}  // namespace

Checked<std::vector<RehearsalStep>> rehearse(const std::string& command, const Limits& limits) {
    auto words = child::words_of(command);
    if (!words) return words.rejection();
    return Rehearsal(std::move(*words), limits).all();
}

}  // namespace poolproof
