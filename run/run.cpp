// SPDX-License-Identifier: Apache-2.0
#include <poolproof/run.hpp>

#include <algorithm>

namespace poolproof {

namespace {

constexpr std::size_t batch_cases = 64;
constexpr Index batch_elements = Index{1} << 20;
constexpr std::uint64_t one_in_compared = 64;  // small cases whose sets are made twice, by either path
constexpr Index expected_ahead =
    Index{1} << 14;  // elements of a case whose sets are all made before its answer is there

bool same_sets(const Expected& a, const Expected& b) {
    return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                      [](const ExpectedOutput& x, const ExpectedOutput& y) {
                          return x.name == y.name && x.format == y.format && x.shape == y.shape &&
                                 x.values == y.values && x.positions == y.positions;
                      });
}

/// The part of a batch that goes to the backend: its cases in order, those asked twice a second time at the
/// end.
struct Batch {
    std::vector<Subject> subjects;
    std::vector<Case> sent;
    std::vector<std::size_t> repeats;  ///< for `sent` beyond the subjects, which subject it repeats
};

class Run {
public:
    Run(Backend& backend, const std::function<bool(const Judged&)>& visit)
        : backend_(backend), visit_(visit) {}

    Totals over(const Source& source) {
        while (going_ && fill(source)) judge_batch();
        return std::move(totals_);
    }

private:
    bool fill(const Source& source);
    void judge_batch();
    void settle(const Subject& s, Verdict v, const Plan* plan, const Expected* expected,
                const Observation& o);

    Backend& backend_;
    const std::function<bool(const Judged&)>& visit_;
    Totals totals_;
    Batch batch_;
    std::uint64_t cases_seen_ = 0;
    bool going_ = true, ended_ = false;
};

bool Run::fill(const Source& source) {
    batch_ = {};
    Index elements = 0;
    while (!ended_ && batch_.subjects.size() < batch_cases && elements < batch_elements) {
        auto s = source();
        if (!s) {
            ended_ = true;
            break;
        }
        ++totals_.cases;
        if (!covers(backend_.declaration(), s->c)) {
            ++totals_.not_covered;
            continue;
        }
        elements += s->c.input.size();
        batch_.subjects.push_back(std::move(*s));
    }
    for (const Subject& s : batch_.subjects) batch_.sent.push_back(s.c);
    for (std::size_t k = 0; k < batch_.subjects.size(); ++k) {
        if (!batch_.subjects[k].repeated) continue;
        batch_.sent.push_back(batch_.subjects[k].c);
        batch_.repeats.push_back(k);
    }
    return !batch_.subjects.empty();
}

void Run::settle(const Subject& s, Verdict v, const Plan* plan, const Expected* expected,
                 const Observation& o) {
    if (v.outcome == Outcome::declined && !backend_.declaration().capabilities.empty())
        v = judge_declined(std::move(v));
    const auto k = static_cast<std::size_t>(v.outcome);
    ++totals_.by_outcome[k];
    ++totals_.by_op[std::string(name(s.c.op))][k];
    totals_.values += v.tally.conforming + v.tally.deviating;
    going_ = visit_({s, plan, expected, o, v}) && going_;
}

void Run::judge_batch() {
    backend_.begin(batch_.sent);
    std::vector<Checked<Plan>> plans;
    std::vector<std::optional<Expected>> expected(batch_.subjects.size());
    for (std::size_t k = 0; k < batch_.subjects.size(); ++k) {
        const Case& c = batch_.subjects[k].c;
        plans.push_back(plan(c));
        if (plans[k] && c.input.size() <= expected_ahead)
            expected[k] = expect(*plans[k], c, {0, slice_count(*plans[k], c)}, &totals_.stages);
    }
    const auto observations = backend_.finish();
    std::vector<const Observation*> second(batch_.subjects.size(), nullptr);
    for (std::size_t r = 0; r < batch_.repeats.size(); ++r)
        second[batch_.repeats[r]] = &observations[batch_.subjects.size() + r];
    for (std::size_t k = 0; k < batch_.subjects.size() && going_; ++k) {
        const Subject& s = batch_.subjects[k];
        if (!plans[k]) {
            settle(s, judge_rejection(observations[k]), nullptr, nullptr, observations[k]);
            continue;
        }
        Verdict v = expected[k] ? judge(*expected[k], observations[k])
                                : judge_case(*plans[k], s.c, observations[k], &totals_.stages);
        if (second[k] != nullptr) v = judge_repeat(std::move(v), *plans[k], observations[k], *second[k]);
        if (expected[k] && cases_seen_++ % one_in_compared == 0 &&
            !same_sets(*expected[k], expect(*plans[k], s.c)))
            ++totals_.disagreements;
        settle(s, std::move(v), &*plans[k], expected[k] ? &*expected[k] : nullptr, observations[k]);
    }
    if (backend_.gone()) going_ = false;
}

}  // namespace

Totals judge_all(Backend& backend, const Source& source, const std::function<bool(const Judged&)>& visit) {
    return Run(backend, visit).over(source);
}

}  // namespace poolproof
