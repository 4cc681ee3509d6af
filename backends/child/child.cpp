// SPDX-License-Identifier: Apache-2.0
#include "backends/child/child.hpp"

#include "backends/child/channel.hpp"

#include <algorithm>

namespace poolproof::child {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t reply_overhead = std::uint64_t{1} << 20;
constexpr int start_attempts = 3;

/// How long a case may take: calibrated from the slowest answer so far, generous at first.
class Patience {
public:
    explicit Patience(milliseconds fixed) : fixed_(fixed) {}

    milliseconds allowed() const {
        if (fixed_.count() > 0) return fixed_;
        if (!slowest_) return milliseconds(60'000);
        const milliseconds least = timeouts_ < 3 ? milliseconds(5'000) : milliseconds(1'000);
        return std::max(least, 20 * *slowest_ + milliseconds(500));
    }
    void answered_after(Clock::duration time) {
        const auto ms = std::chrono::duration_cast<milliseconds>(time);
        slowest_ = std::max(slowest_.value_or(ms), ms);
    }
    void timed_out() { ++timeouts_; }

private:
    milliseconds fixed_;
    std::optional<milliseconds> slowest_;
    Index timeouts_ = 0;
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
    return std::string(s.size() > shown ? s.substr(s.size() - shown) : s);
}

Observation broke(const Trouble& t, const std::string& remark) {
    Observation o;
    o.kind = Observation::Kind::broke;
    o.why = (t.kind == "ended" ? "" : t.kind + ": ") + t.what + (remark.empty() ? "" : "; " + remark);
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
        : name_(std::move(name)), command_(std::move(command)), limits_(limits), patience_(limits.deadline) {}
    ~Child() override {
        if (channel_) channel_->process().stop(500);
    }

    std::optional<std::string> start() override { return bring_up(true); }

    void begin(std::span<const Case> cases) override {
        cases_ = cases;
        first_since_start_ = 0;
        asked_ = 0;
        if (gone_) return;
        ask(cases_.size());
        channel_->push();
    }

    std::vector<Observation> finish() override;

    std::optional<std::string> gone() const override { return gone_; }

private:
    std::optional<std::string> bring_up(bool first);
    bool restart();
    void ask(std::size_t end);
    std::optional<Trouble> collect(std::size_t from, std::size_t end, std::vector<Observation>& answers);
    Observation investigated(const Trouble& trouble);

    std::string name_;
    std::vector<std::string> command_;
    Limits limits_;
    Patience patience_;
    std::optional<Channel> channel_;
    std::optional<std::string> gone_;
    Index restarts_ = 0;

    std::span<const Case> cases_;
    std::size_t first_since_start_ = 0;  ///< the first case of the batch that this process was sent
    std::size_t asked_ = 0;              ///< cases of the batch that are sent
    Index next_id_ = 1;
    std::vector<Index> ids_;  ///< of the batch's cases, as last sent
};

std::optional<std::string> Child::bring_up(bool first) {
    auto process = Process::start(command_);
    if (!process) return message(process.rejection());
    channel_.emplace(std::move(*process));
    channel_->send({protocol::write_hello(limits_.frames), {}});
    const auto line = channel_->receive(Clock::now() + limits_.start, reply_overhead, limits_.memory);
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
        return name_ + " answered the greeting wrongly: " + message(hello.rejection()) + said();
    }
    if (first) declaration_ = hello->declaration;
    if (declaration_.name.empty()) declaration_.name = name_;
    if (limits_.frames && hello->framing == protocol::Framing::binary) channel_->use_frames();
    return std::nullopt;
}

bool Child::restart() {
    channel_->process().stop(0);
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

void Child::ask(std::size_t end) {
    ids_.resize(cases_.size());
    for (; asked_ < end; ++asked_) {
        ids_[asked_] = next_id_++;
        channel_->send(protocol::write_run(ids_[asked_], cases_[asked_], channel_->framing()));
    }
}

/// Reads the answers to the cases [from, end), all of which are sent; stops at the first that breaks.
std::optional<Trouble> Child::collect(std::size_t from, std::size_t end, std::vector<Observation>& answers) {
    for (std::size_t k = from; k < end; ++k) {
        const auto began = Clock::now();
        const auto line =
            channel_->receive(began + patience_.allowed(), reply_limit(cases_[k]), limits_.memory);
        const auto trouble = [&](std::string kind, std::string what) {
            if (kind == "timeout") patience_.timed_out();
            return Trouble{k, std::move(kind), std::move(what), channel_->talk()};
        };
        if (!line) return trouble(line.rejection().field, line.rejection().reason);
        patience_.answered_after(Clock::now() - began);
        auto reply = protocol::read_reply(*line, cases_[k].format);
        if (!reply) return trouble("malformed", message(reply.rejection()));
        if (reply->id != ids_[k])
            return trouble("wrong id", "the reply has id " + std::to_string(reply->id) + ", expected " +
                                           std::to_string(ids_[k]));
        answers[k] = std::move(reply->observation);
    }
    return std::nullopt;
}

/// Asks again in fresh processes: alone, then after the cases that went before it. The case broke whatever
/// comes of that; how it breaks is what its author needs to know.
Observation Child::investigated(const Trouble& trouble) {
    const std::size_t at = trouble.at, first = first_since_start_;
    std::vector<Observation> ignored(cases_.size());
    const auto again = [&](std::size_t from) -> std::optional<Trouble> {
        if (!restart()) return std::nullopt;
        asked_ = from;
        ask(at + 1);
        first_since_start_ = at + 1;
        return collect(from, at + 1, ignored);
    };
    const bool was_alone = first == at && asked_ == at + 1;
    if (was_alone) {
        restart();
        asked_ = first_since_start_ = at + 1;
        return broke(trouble, "");
    }
    if (const auto alone = again(at)) {
        restart();
        asked_ = first_since_start_ = at + 1;
        return broke(*alone, "");
    }
    if (gone_) return broke(trouble, "");
    const std::string before = std::to_string(at - first) + " cases before it";
    if (first < at) {
        if (const auto after = again(first); after || gone_) {
            if (after) restart();
            asked_ = first_since_start_ = at + 1;
            return broke(trouble,
                         gone_ ? "" : "passes alone, breaks after the " + before + ": state-dependent");
        }
    }
    asked_ = at + 1;
    return broke(trouble, "not reproduced, neither alone nor after the " + before);
}

std::vector<Observation> Child::finish() {
    std::vector<Observation> answers(cases_.size());
    std::size_t next = 0;
    while (next < cases_.size() && !gone_) {
        ask(cases_.size());
        const auto trouble = collect(next, cases_.size(), answers);
        if (!trouble) return answers;
        answers[trouble->at] = investigated(*trouble);
        next = trouble->at + 1;
    }
    for (; next < cases_.size(); ++next) answers[next] = broke({next, "gone", *gone_, ""}, "");
    return answers;
}

}  // namespace

std::unique_ptr<Backend> backend(std::string name, std::vector<std::string> command, const Limits& limits) {
    return std::make_unique<Child>(std::move(name), std::move(command), limits);
}

}  // namespace poolproof::child
