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
            answers_in_order();
            rejects_what_is_invalid();
            ends_with_its_input();
            takes_frames();
        }
        return std::move(steps_);
    }

private:
    bool greets();
    bool cases_are_found();
    void answers_one();
    void ignores_unknown_fields();
    void answers_in_order();
    void rejects_what_is_invalid();
    void ends_with_its_input();
    void takes_frames();

    std::optional<Channel> started(bool offers_frames, bool with_unknown = false);
    Checked<Message> next(Channel& c) {
        const auto allowed =
            limits_.deadline.count() > 0 ? limits_.deadline : std::chrono::milliseconds(60'000);
        return c.receive(Clock::now() + allowed, reply_bytes, limits_);
    }
    bool step(const char* name, bool passed, std::string sent, std::string came, std::string expected) {
        steps_.push_back({name, passed, cut(std::move(sent)), cut(std::move(came)), std::move(expected)});
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

/// A process that has been greeted, if it answers as it should.
std::optional<Channel> Rehearsal::started(bool offers_frames, bool with_unknown) {
    auto process = child::Process::start(command_);
    if (!process) return std::nullopt;
    Channel c(std::move(*process));
    const std::string hello = protocol::write_hello(offers_frames);
    c.send({with_unknown ? with_unknown_field(hello) : hello, {}});
    const auto line = c.receive(Clock::now() + limits_.start, reply_bytes, limits_);
    const auto read = line ? protocol::read_hello(line->head) : Checked<protocol::Hello>(line.rejection());
    if (!read) return std::nullopt;
    if (offers_frames && read->framing == protocol::Framing::binary) c.use_frames(read->checksum);
    return c;
}

bool Rehearsal::greets() {
    const std::string sent = protocol::write_hello(false);
    const char* expected =
        R"(a line {"type":"hello","protocol":1,..} with name, version, profile and capabilities)";
    auto process = child::Process::start(command_);
    if (!process)
        return step("it starts", false, command_.front(), message(process.rejection()), "a process");
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
    const auto again = started(false, true);
    return step("it ignores fields of the greeting that it does not know", again.has_value(),
                with_unknown_field(sent), again ? "a greeting" : "none", "a greeting all the same");
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
    auto c = started(false);
    if (!c) return;
    asks("it answers a case", *c, protocol::write_run(1, cases_.front(), protocol::Framing::lines).head, 1);
    asks("it repeats any id", *c,
         protocol::write_run(4'000'000'001, cases_.front(), protocol::Framing::lines).head, 4'000'000'001);
}

void Rehearsal::ignores_unknown_fields() {
    auto c = started(false);
    if (!c) return;
    asks("it ignores fields of a request that it does not know", *c,
         with_unknown_field(protocol::write_run(2, cases_.front(), protocol::Framing::lines).head), 2);
}

void Rehearsal::answers_in_order() {
    auto c = started(false);
    if (!c) return;
    for (std::size_t k = 0; k < cases_.size(); ++k)
        c->send(protocol::write_run(static_cast<Index>(k + 10), cases_[k], protocol::Framing::lines));
    const std::string sent = std::to_string(cases_.size()) + " requests with ids from 10, without waiting";
    for (std::size_t k = 0; k < cases_.size(); ++k) {
        const auto line = next(*c);
        const auto reply =
            line ? protocol::read_reply(*line, cases_[k]) : Checked<protocol::Reply>(line.rejection());
        const std::string expected =
            "the reply to id " + std::to_string(k + 10) + ", replies in the order of requests";
        if (!reply || reply->id != static_cast<Index>(k + 10))
            return void(step("it answers requests that are written ahead, in order", false, sent,
                             line ? line->head : came_instead(*c, line.rejection()), expected));
    }
    step("it answers requests that are written ahead, in order", true, sent,
         std::to_string(cases_.size()) + " replies in order", "as many replies in order");
}

/// Asked only of what it says it rejects: many an implementation leaves the check of arguments to its caller.
void Rehearsal::rejects_what_is_invalid() {
    const auto checked = std::find_if(cases_.begin(), cases_.end(),
                                      [&](const Case& c) { return rejects(hello_.declaration, c); });
    if (checked == cases_.end()) return;
    auto c = started(false);
    if (!c) return;
    Case wrong = *checked;
    wrong.input = Tensor(wrong.format, {});  // a rank that fits no op
    wrong.tangent.reset();
    wrong.cotangent.reset();
    wrong.mode = Mode::forward;
    const Message m = protocol::write_run(3, wrong, protocol::Framing::lines);
    c->send(m);
    const auto line = next(*c);
    const auto reply =
        line ? protocol::read_reply(*line, wrong) : Checked<protocol::Reply>(line.rejection());
    step("it rejects a case that is invalid, as it declares, here a tensor of rank 0",
         reply && reply->id == 3 &&
             (reply->observation.kind == Observation::Kind::rejected ||
              reply->observation.kind == Observation::Kind::declined),
         m.head, line ? line->head : came_instead(*c, line.rejection()),
         R"({"id":3,"rejected":"why"}; its process lives on)");
}

void Rehearsal::ends_with_its_input() {
    auto c = started(false);
    if (!c) return;
    c->process().in.reset();
    c->process().frames_in.reset();
    const auto how = c->process().ended_within(5000);
    step("it exits with 0 when its input ends", how == "exited with 0", "the end of its standard input",
         how.value_or("it lives on after 5 seconds"), "exited with 0");
}

void Rehearsal::takes_frames() {
    auto c = started(true);
    if (!c || c->framing() == protocol::Framing::lines) return;
    for (std::size_t k = 0; k < cases_.size(); ++k)
        c->send(protocol::write_run(static_cast<Index>(k), cases_[k], protocol::Framing::binary));
    const std::string sent = std::to_string(cases_.size()) + " requests in frames";
    for (std::size_t k = 0; k < cases_.size(); ++k) {
        const auto m = next(*c);
        const auto reply = m ? protocol::read_reply(*m, cases_[k]) : Checked<protocol::Reply>(m.rejection());
        if (!reply || reply->id != static_cast<Index>(k))
            return void(step("it answers in frames, as it said", false, sent,
                             m ? m->head : came_instead(*c, m.rejection()),
                             "a frame with the reply to id " + std::to_string(k)));
    }
    step("it answers in frames, as it said", true, sent, "as many replies in order",
         "as many replies in order");
}

}  // namespace

Checked<std::vector<RehearsalStep>> rehearse(const std::string& command, const Limits& limits) {
    auto words = child::words_of(command);
    if (!words) return words.rejection();
    return Rehearsal(std::move(*words), limits).all();
}

}  // namespace poolproof
