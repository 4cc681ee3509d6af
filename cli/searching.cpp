// SPDX-License-Identifier: Apache-2.0
#include "cli/searching.hpp"

#include <poolproof/plan.hpp>

namespace poolproof::cli {

namespace {

Verdict judged(const Case& c, const Observation& o) {
    const auto settled = plan(c);
    return settled ? judge(expect(*settled, c), o) : judge_rejection(o);
}

}  // namespace

Searching::Searching(Backend& backend, ShrinkLimits limits)
    : backend_(backend),
      stop_([&backend, stop = std::move(limits.stop)] { return backend.gone().has_value() || stop(); }),
      answers_([this](const Case& c) { return answer(complete_ ? completed(c) : c); }),
      buckets_(answers_,
               {limits.evaluations, stop_, limits.broke_evaluations, limits.broke_time, limits.large_time}) {}

Observation Searching::answer(const Case& c) {
    Observation o;
    o.kind = Observation::Kind::declined;
    o.why = "the backend does not declare it";
    return covers(backend_.declaration(), c) ? backend_.run(c) : o;
}

bool Searching::fails_completed(const Case& c, const Verdict& v) {
    const Case full = completed(c);
    if (full == c || stop_()) return full == c;
    const Verdict now = judged(full, answer(full));
    return now.outcome == v.outcome && now.clause == v.clause;
}

bool Searching::add(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
                    const Verdict& v) {
    complete_ = fails_completed(c, v);
    const bool opened = buckets_.add(index, c, expected, o, v);
    if (opened) completed_.push_back(complete_);
    return opened;
}

bool Searching::restore(std::uint64_t index, Index cases, const Case& c) {
    const auto settled = plan(c);
    const auto expected = settled ? std::optional(expect(*settled, c)) : std::nullopt;
    const Observation o = answer(c);
    const Verdict v = expected ? judge(*expected, o) : judge_rejection(o);
    if (v.outcome < Outcome::deviates) return false;
    complete_ = fails_completed(c, v);
    const std::size_t before = buckets_.all().size();
    buckets_.restore(index, cases, c, expected ? &*expected : nullptr, o, v);
    if (buckets_.all().size() > before) completed_.push_back(complete_);
    return true;
}

Case Searching::sent(std::size_t bucket) const {
    const Case& c = buckets_.all()[bucket].smallest;
    return completed_[bucket] ? completed(c) : c;
}

}  // namespace poolproof::cli
