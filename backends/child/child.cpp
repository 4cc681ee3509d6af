// SPDX-License-Identifier: Apache-2.0
#include "backends/child/child.hpp"

#include "backends/child/channel.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <deque>

namespace poolproof::child {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t reply_overhead = std::uint64_t{1} << 20;
constexpr int start_attempts = 3;

// A process that is silent at so many cases in a row is given up: where it never answered, soon, since each
// costs a minute; else later, since one kind of case may be all that it hangs at.
constexpr Index silences_at_first = 5, silences_later = 20;

/// How long a case may take: calibrated from the slowest answer so far, generous at first. And how often the
/// process may fail to answer.
class Patience {
public:
    explicit Patience(const Limits& limits) : fixed_(limits.deadline), first_ends_(limits.first_ends) {}

    milliseconds allowed() const {
        if (fixed_.count() > 0) return fixed_;
        if (!slowest_) return milliseconds(60'000);
        const milliseconds least = timeouts_ < 3 ? milliseconds(5'000) : milliseconds(1'000);
        return std::max(least, 20 * *slowest_ + milliseconds(500));
    }
    void answered_after(Clock::duration time) {
        silences_ = 0;
        const auto ms = std::chrono::duration_cast<milliseconds>(time);
        slowest_ = std::max(slowest_.value_or(ms), ms);
    }
    void timed_out() { ++timeouts_, ++silences_; }
    void ended() { ++ends_; }

    /// Why it is given up, if it is.
    std::optional<std::string> over() const {
        if (silences_ >= (slowest_ ? silences_later : silences_at_first))
            return "hangs: no answer " + std::to_string(silences_) + " times in a row, waiting up to " +
                   std::to_string((allowed().count() + 999) / 1000) + " s each";
        if (!slowest_ && first_ends_ > 0 && ends_ >= first_ends_)
            return "keeps dying: it ended " + std::to_string(ends_) + " times and never answered";
        return std::nullopt;
    }

private:
    milliseconds fixed_;
    Index first_ends_;
    std::optional<milliseconds> slowest_;
    Index timeouts_ = 0, silences_ = 0;  ///< in all, and since the last answer
    Index ends_ = 0;
};

/// What went wrong at one case of a batch.
struct Trouble {
    std::size_t at = 0;
    std::string kind, what, talk;
};

std::string tail_of(const std::string& talk) {
    constexpr std::size_t shown = 2000;
    std::string_view s = talk;
    while (!s.empty() && (s.back() == '\n' || s.back() == ' ')) s.remove_suffix(1);
    return printable(s.size() > shown ? s.substr(s.size() - shown) : s);
}

Observation broke(const Trouble& t, const std::string& remark) {
    Observation o;
    o.kind = Observation::Kind::broke;
    o.why =
        printable((t.kind == "ended" ? "" : t.kind + ": ") + t.what + (remark.empty() ? "" : "; " + remark));
    o.talk = tail_of(t.talk);
    return o;
}

std::uint64_t payload(const Case& c) {
    return c.input.data.size() + (c.cotangent ? c.cotangent->data.size() : 0);
}

/// A reply may be this long: its tensors in hex or as numbers, and some words. An output of forward or jvp is
/// larger than the input only by its padding, which the kernel bounds badly; hence the wide margin.
std::uint64_t reply_limit(const Case& c) { return 64 * (payload(c) + reply_overhead); }

class Child final : public Backend {
public:
    Child(std::string name, std::vector<std::string> command, const Limits& limits)
        : name_(std::move(name)), command_(std::move(command)), limits_(limits), patience_(limits) {}
    ~Child() override {
        if (channel_) channel_->process().stop(gone_ ? 0 : 500);
    }

    std::optional<std::string> start() override { return bring_up(true); }

    void begin(std::span<const Case> cases) override {
        cases_ = cases;
        first_ = asked_ = 0;
        if (gone_) return;
        for (; asked_ < cases_.size(); ++asked_) ask(cases_[asked_]);
        channel_->push();
    }

    std::vector<Observation> finish() override;

    std::optional<std::string> gone() const override { return gone_; }

private:
    std::optional<std::string> bring_up(bool first);
    bool restart();
    bool stopped() const { return limits_.stop && limits_.stop(); }
    void ask(const Case& c);
    std::optional<Trouble> collect(const Case& c, std::size_t at, Observation& answer);
    std::optional<Trouble> replay(std::span<const Case* const> cases, Observation& last);
    std::size_t investigate(const Trouble& trouble, std::vector<Observation>& answers);
    void remember();

    std::string name_;
    std::vector<std::string> command_;
    Limits limits_;
    Patience patience_;
    std::optional<Channel> channel_;
    std::optional<std::string> gone_;
    Index restarts_ = 0;

    std::span<const Case> cases_;
    std::size_t asked_ = 0;      ///< cases of the batch that this process was sent, or that are done
    std::size_t first_ = 0;      ///< the first of the batch that this process was sent
    std::vector<Case> earlier_;  ///< what this process was sent before the batch, the last of it
    Index next_id_ = 1;
    std::deque<Index> awaited_;  ///< the ids whose replies are to come
};

std::optional<std::string> Child::bring_up(bool first) {
    auto process = Process::start(command_);
    if (!process) return message(process.rejection());
    channel_.emplace(std::move(*process));
    channel_->send({protocol::write_hello(limits_.frames), {}});
    const auto line = channel_->receive(Clock::now() + limits_.start, reply_overhead, limits_);
    const auto said = [&] {
        const std::string talk = tail_of(channel_->talk());
        return talk.empty() ? std::string() : "; it said:\n" + talk;
    };
    if (!line) {
        channel_->process().stop(0);
        return name_ + " did not answer the greeting: " + line.rejection().reason + said();
    }
    const auto hello = protocol::read_hello(line->head);
    if (!hello) {
        channel_->process().stop(0);
        return name_ + " answered the greeting wrongly: " + printable(message(hello.rejection())) + said();
    }
    if (first) declaration_ = hello->declaration;
    if (declaration_.name.empty()) declaration_.name = name_;
    if (limits_.frames && hello->framing == protocol::Framing::binary) channel_->use_frames(hello->checksum);
    return std::nullopt;
}

bool Child::restart() {
    if (gone_) return false;
    channel_->process().stop(0);
    awaited_.clear();
    if (++restarts_ > limits_.restarts) {
        gone_ = name_ + " was started " + std::to_string(restarts_) + " times, which is all it may be";
        return false;
    }
    std::optional<std::string> why;
    for (int k = 0; k < start_attempts; ++k)
        if (why = bring_up(false); !why) return true;
    gone_ = "it does not start again: " + *why;
    return false;
}

void Child::ask(const Case& c) {
    awaited_.push_back(next_id_++);
    channel_->send(protocol::write_run(awaited_.back(), c, channel_->framing()));
}

/// Reads the answer to a case that was asked, or says what went wrong.
std::optional<Trouble> Child::collect(const Case& c, std::size_t at, Observation& answer) {
    const auto began = Clock::now();
    const auto line = channel_->receive(began + patience_.allowed(), reply_limit(c), limits_);
    const auto trouble = [&](std::string kind, std::string what) {
        if (kind == "timeout") patience_.timed_out();
        if (kind == "ended") patience_.ended();
        if (const auto why = patience_.over()) gone_ = name_ + " " + *why;
        return Trouble{at, std::move(kind), std::move(what), channel_->talk()};
    };
    if (!line) {
        if (line.rejection().field == "interrupted") gone_ = "interrupted";
        return trouble(line.rejection().field, line.rejection().reason);
    }
    patience_.answered_after(Clock::now() - began);
    auto reply = protocol::read_reply(*line, c);
    if (!reply) return trouble("malformed", message(reply.rejection()));
    if (reply->id != awaited_.front())
        return trouble("wrong id", "the reply has id " + std::to_string(reply->id) + ", expected " +
                                       std::to_string(awaited_.front()));
    awaited_.pop_front();
    answer = std::move(reply->observation);
    return std::nullopt;
}

/// Asks for these cases one at a time in a fresh process, up to the first that breaks.
std::optional<Trouble> Child::replay(std::span<const Case* const> cases, Observation& last) {
    if (!restart()) return Trouble{0, "gone", *gone_, ""};
    for (std::size_t k = 0; k < cases.size(); ++k) {
        ask(*cases[k]);
        if (auto t = collect(*cases[k], k, last)) return t;
    }
    return std::nullopt;
}

/// Finds out which case broke the process, and how. The first that was not answered is asked again alone,
/// then after what the process had been sent before; where it passes both, it may have been a later one,
/// whose predecessors' answers were still on their way. Gives the case to go on with, in a fresh process.
std::size_t Child::investigate(const Trouble& trouble, std::vector<Observation>& answers) {
    const std::size_t at = trouble.at, sent = asked_;
    std::vector<const Case*> before;
    for (const Case& c : earlier_) before.push_back(&c);
    for (std::size_t k = first_; k <= at; ++k) before.push_back(&cases_[k]);
    const std::span<const Case* const> all(before);
    const auto go_on_after = [&](std::size_t broken, const Trouble& t, const std::string& remark) {
        answers[broken] = broke(t, remark);
        if (!gone_) restart();
        earlier_.clear();
        return first_ = asked_ = broken + 1;
    };
    if (gone_ || (all.size() == 1 && sent == at + 1)) return go_on_after(at, trouble, "");
    if (const auto alone = replay(all.last(1), answers[at]))
        return go_on_after(at, gone_ ? trouble : *alone, "");
    const std::string others = std::to_string(all.size() - 1) + " cases before it";
    if (all.size() > 1) {
        if (const auto after = replay(all, answers[at]))
            return go_on_after(at, trouble,
                               gone_ ? ""
                               : after->at + 1 == all.size()
                                   ? "passes alone, breaks after the " + others + ": state-dependent"
                                   : "passes alone, and cannot be replayed after the " + others);
    }
    for (std::size_t k = at + 1; k < sent; ++k) {
        ask(cases_[k]);
        const auto t = collect(cases_[k], k, answers[k]);
        if (!t) continue;
        if (gone_) return go_on_after(at, trouble, "");
        const Case* const suspect = &cases_[k];
        const auto alone = replay({&suspect, 1}, answers[k]);
        return go_on_after(k, *t,
                           alone || gone_ ? "" : "passes alone, breaks after other cases: state-dependent");
    }
    // Everything that was sent is answered by now, but the first of it is known to have broken.
    go_on_after(at, trouble, "not reproduced, neither alone nor after the " + others);
    return first_ = asked_ = sent;
}

/// Keeps what a later break may have to be replayed after.
void Child::remember() {
    constexpr Index kept_elements = Index{1} << 16;
    Index elements = 0;
    earlier_.clear();
    for (std::size_t k = cases_.size();
         k-- > first_ && (elements += cases_[k].input.size()) <= kept_elements;)
        earlier_.push_back(cases_[k]);
    std::reverse(earlier_.begin(), earlier_.end());
}

std::vector<Observation> Child::finish() {
    std::vector<Observation> answers(cases_.size());
    std::size_t next = 0;
    while (next < cases_.size() && !gone_) {
        for (; asked_ < cases_.size(); ++asked_) ask(cases_[asked_]);
        auto trouble = collect(cases_[next], next, answers[next]);
        if (trouble && stopped()) break;
        next = trouble ? investigate(*trouble, answers) : next + 1;
    }
    if (!gone_) remember();
    if (stopped()) answers.resize(next);
    for (; next < answers.size(); ++next) {
        answers[next] = broke({next, "gone", *gone_, ""}, "");
        answers[next].asked = false;
    }
    return answers;
}

}  // namespace

std::unique_ptr<Backend> backend(std::string name, std::vector<std::string> command, const Limits& limits) {
    return std::make_unique<Child>(std::move(name), std::move(command), limits);
}

}  // namespace poolproof::child
