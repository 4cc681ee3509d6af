// SPDX-License-Identifier: Apache-2.0
#include <poolproof/run.hpp>

#include <algorithm>

namespace poolproof {

namespace {

constexpr std::size_t batch_cases = 64;
// Each break may take seconds, and only between two batches is a run stopped.
constexpr std::size_t batch_cases_of_breaking = 4;
constexpr Index batch_elements = Index{1} << 20;
constexpr Index elements_ahead = Index{1} << 17;     // of a batch that waits while another is judged
constexpr Index compared_elements = Index{1} << 14;  // of a case that is worth the exact oracle

/// Which cases have the sets of one slice made twice, by either path: many at first, and later so few that
/// the exact oracle does not decide how long a run takes.
bool is_compared(std::uint64_t number) { return number % (number < 2048 ? 32 : 8192) == 0; }

bool same_sets(const Expected& a, const Expected& b) {
    return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                      [](const ExpectedOutput& x, const ExpectedOutput& y) {
                          return x.name == y.name && x.format == y.format && x.values == y.values &&
                                 x.positions == y.positions;
                      });
}

/// Cases on their way. While the backend has them they are in `sent`, those asked twice a second time at the
/// end.
struct Batch {
    std::vector<Subject> subjects;
    std::vector<Case> sent;
    std::vector<std::size_t> repeats;  ///< for `sent` beyond the subjects, which subject it repeats
    Index elements = 0;
};

class Run {
public:
    Run(Backend& backend, const Source& source, const std::function<bool(const Judged&)>& visit)
        : backend_(backend), source_(source), visit_(visit) {}

    Totals totals() && {
        Batch now = begun();
        while (!now.subjects.empty()) {
            const auto observations = backend_.finish();
            going_ = !backend_.gone();
            const bool broke =
                std::any_of(observations.begin(), observations.end(),
                            [](const Observation& o) { return o.kind == Observation::Kind::broke; });
            most_cases_ = broke ? batch_cases_of_breaking : batch_cases;
            const bool ahead = going_ && !broke && now.elements <= elements_ahead;
            Batch next = ahead ? begun() : Batch();
            judge_batch(now, observations);
            if (!going_) {
                if (!next.subjects.empty()) backend_.finish();
                break;
            }
            now = ahead ? std::move(next) : begun();
        }
        return std::move(totals_);
    }

private:
    Batch begun();
    void judge_batch(Batch& b, const std::vector<Observation>& observations);
    Verdict verdict(const Subject& s, const Plan& plan, const Observation& o, const Observation* second);
    void compare(const Plan& plan, const Case& c);

    Backend& backend_;
    const Source& source_;
    const std::function<bool(const Judged&)>& visit_;
    Totals totals_;
    std::uint64_t cases_seen_ = 0;
    std::size_t most_cases_ = batch_cases;
    bool going_ = true, ended_ = false;
};

/// The source's next cases, with the backend; none once it has ended.
Batch Run::begun() {
    Batch b;
    while (!ended_ && b.subjects.size() < most_cases_ && b.elements < batch_elements) {
        auto s = source_();
        if (!s) {
            ended_ = true;
            break;
        }
        if (!covers(backend_.declaration(), s->c)) {
            ++totals_.cases;
            ++totals_.not_covered;
            continue;
        }
        b.elements += s->c.input.size();
        b.subjects.push_back(std::move(*s));
    }
    if (b.subjects.empty()) return b;
    b.sent.reserve(b.subjects.size());
    for (std::size_t k = 0; k < b.subjects.size(); ++k)
        if (b.subjects[k].repeated) b.repeats.push_back(k);
    for (Subject& s : b.subjects) b.sent.push_back(std::move(s.c));
    for (const std::size_t k : b.repeats) b.sent.push_back(Case(b.sent[k]));
    backend_.begin(b.sent);
    return b;
}

void Run::judge_batch(Batch& b, const std::vector<Observation>& observations) {
    for (std::size_t k = 0; k < b.subjects.size(); ++k) b.subjects[k].c = std::move(b.sent[k]);
    std::vector<const Observation*> second(b.subjects.size(), nullptr);
    for (std::size_t r = 0; b.subjects.size() + r < observations.size(); ++r)
        if (observations[b.subjects.size() + r].asked)
            second[b.repeats[r]] = &observations[b.subjects.size() + r];
    for (std::size_t k = 0; k < std::min(b.subjects.size(), observations.size()); ++k) {
        const Subject& s = b.subjects[k];
        const Observation& o = observations[k];
        if (!o.asked) return;  // the backend is gone
        const auto settled = plan(s.c);
        Verdict v = settled ? verdict(s, *settled, o, second[k]) : judge_rejection(o);
        if (v.outcome == Outcome::declined && !backend_.declaration().capabilities.empty())
            v = judge_declined(std::move(v));
        const auto outcome = static_cast<std::size_t>(v.outcome);
        ++totals_.cases;
        ++totals_.by_outcome[outcome];
        ++totals_.by_op[std::string(name(s.c.op))][outcome];
        totals_.values += v.tally.conforming + v.tally.deviating;
        std::optional<Expected> sets;
        const std::function<const Expected*()> expected = [&]() -> const Expected* {
            if (!settled) return nullptr;
            if (!sets) sets = expect(*settled, s.c, {0, slice_count(*settled, s.c)});
            return &*sets;
        };
        if (!visit_({s, settled ? &*settled : nullptr, expected, o, v})) {
            going_ = false;
            return;
        }
    }
}

Verdict Run::verdict(const Subject& s, const Plan& plan, const Observation& o, const Observation* second) {
    Verdict v = judge_case(plan, s.c, o, &totals_.stages);
    if (second != nullptr) v = judge_repeat(std::move(v), plan, s.c, o, *second);
    if (s.c.input.size() <= compared_elements) compare(plan, s.c);
    return v;
}

void Run::compare(const Plan& plan, const Case& c) {
    const std::uint64_t number = cases_seen_++;
    const Index slices = slice_count(plan, c);
    if (!is_compared(number) || slices == 0) return;
    const Slices one{static_cast<Index>(number / 32) % slices, 1};
    if (!same_sets(expect(plan, c, one), exact_sets(plan, c, one))) ++totals_.disagreements;
}

}  // namespace

Totals judge_all(Backend& backend, const Source& source, const std::function<bool(const Judged&)>& visit) {
    return Run(backend, source, visit).totals();
}

}  // namespace poolproof
