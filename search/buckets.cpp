// SPDX-License-Identifier: Apache-2.0
#include "search/reason.hpp"

#include <poolproof/plan.hpp>
#include <poolproof/search.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace poolproof {

namespace {

/// Hundreds of hypotheses on a case of more cells take longer than shrinking it.
constexpr Index most_cells_to_explain = 300;

/// What most small cases show, and what says little of a fault.
constexpr std::array plain_features{Feature::mode_forward,
                                    Feature::dtype_f64,
                                    Feature::rank_1,
                                    Feature::leading_0,
                                    Feature::single_cell_axis,
                                    Feature::padding_omitted,
                                    Feature::stride_omitted,
                                    Feature::unit_kernel,
                                    Feature::whole_input_kernel,
                                    Feature::keepdims_omitted,
                                    Feature::constant,
                                    Feature::ones,
                                    Feature::ties,
                                    Feature::near_ties,
                                    Feature::all_negative,
                                    Feature::one_hot,
                                    Feature::format_edge,
                                    Feature::one_hot_direction,
                                    Feature::adaptive_even,
                                    Feature::beta_one,
                                    Feature::floor_remainder,
                                    Feature::ceil_exact,
                                    Feature::end_padding_omitted};

std::vector<Feature> telling_features(const Case& c) {
    std::vector<Feature> r = features(c);
    std::erase_if(r, [](Feature f) {
        return std::find(plain_features.begin(), plain_features.end(), f) != plain_features.end();
    });
    return r;
}

/// What can be said of a failure without shrinking it.
std::string signature(const Case& c, const Verdict& v) {
    std::string r(name(v.outcome));
    for (const std::string_view part : {std::string_view(v.clause), name(c.op), name(c.mode)})
        r.append(" ").append(part);
    if (v.tally.deviating == 0) r += " " + v.why.substr(0, 40);
    return r;
}

bool includes(const std::vector<Feature>& all, const std::vector<Feature>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::size_t spatial_rank(const Case& c) {
    const auto settled = plan(c);
    const auto* pool = settled && settled->output().pool ? &*settled->output().pool : nullptr;
    return pool != nullptr ? pool->axes.size() : 0;
}

/// Whether two cases are likely to run through the same code.
bool same_kind(const Case& a, const Case& b) {
    return a.op == b.op && a.mode == b.mode && a.format == b.format && spatial_rank(a) == spatial_rank(b);
}

/// The shrinking of what broke, or is large: short, and ended by the clock too.
ShrinkLimits limits_of(const Case& c, const Verdict& v, const ShrinkLimits& limits) {
    constexpr Index large = Index{1} << 13;
    const bool broke = v.outcome == Outcome::broke;
    if (!broke && c.input.size() <= large) return limits;
    ShrinkLimits r = limits;
    if (broke) r.evaluations = std::min(limits.evaluations, limits.broke_evaluations);
    const auto end = std::chrono::steady_clock::now() + (broke ? limits.broke_time : limits.large_time);
    r.stop = [&limits, end] {
        return (limits.stop && limits.stop()) || std::chrono::steady_clock::now() >= end;
    };
    return r;
}

}  // namespace

/// What a bucket goes by.
struct Buckets::Known {
    Explainer explainer;
    std::vector<std::string> reasons;
    std::vector<std::string> signatures;  ///< of failures that came here, unexplained, after shrinking
    Index looked_at = 0;
};

struct Buckets::Failure {
    std::uint64_t index;
    const Case& c;
    const Expected* expected;
    const Observation& answer;
    const Verdict& verdict;
    std::string reason, signature;
};

const Explanation* Bucket::fault() const {
    const auto hit = std::find_if(explanations.begin(), explanations.end(),
                                  [](const Explanation& e) { return e.whole() && e.refuting == 0; });
    return hit != explanations.end() ? &*hit : nullptr;
}

std::string Bucket::name() const {
    const std::string where = verdict.outcome == Outcome::broke ? "" : "[" + verdict.clause + "] ";
    const std::string fault = hypothesis();
    std::string r = where + (!fault.empty() ? fault : !reason.empty() ? reason : "unexplained");
    if (fault.empty() && reason.empty())
        for (const Feature f : features) r.append(" ").append(poolproof::name(f));
    return refused.empty() ? r : r + " (must be rejected: " + refused + ")";
}

Buckets::Buckets(const Answers& answers, ShrinkLimits limits)
    : answers_(answers), limits_(std::move(limits)) {}
Buckets::~Buckets() = default;

void Buckets::update(std::size_t k) {
    known_[k].explainer.keep_whole();
    buckets_[k].explanations = known_[k].explainer.ranked();
}

/// The bucket all of whose failures, and this one, some fault explains.
std::optional<std::size_t> Buckets::explaining(const Failure& f) {
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        if (!buckets_[k].explained()) continue;
        Explainer more = known_[k].explainer;
        more.add(f.c, f.expected, f.answer);
        const auto ranked = more.ranked();
        if (ranked.empty() || !ranked.front().whole()) continue;
        known_[k].explainer = std::move(more);
        update(k);
        return k;
    }
    return std::nullopt;
}

/// The bucket of its reason, which loses its fault if that does not explain this one.
std::optional<std::size_t> Buckets::of_reason(const Failure& f) {
    for (std::size_t k = 0; !f.reason.empty() && k < buckets_.size(); ++k) {
        const auto& reasons = known_[k].reasons;
        if (std::find(reasons.begin(), reasons.end(), f.reason) == reasons.end()) continue;
        if (buckets_[k].explained()) {
            known_[k].explainer.add(f.c, f.expected, f.answer);
            update(k);
        }
        return k;
    }
    return std::nullopt;
}

/// What no hypothesis explains is shrunk a few times; when that says nothing new, it is not worth its time.
std::optional<std::size_t> Buckets::seen_enough(const Failure& f) const {
    constexpr std::ptrdiff_t enough = 6;
    for (std::size_t k = 0; f.reason.empty() && k < buckets_.size(); ++k) {
        const auto& seen = known_[k].signatures;
        if (std::count(seen.begin(), seen.end(), f.signature) >= enough) return k;
    }
    return std::nullopt;
}

/// The unexplained bucket whose smallest case shows the same as this one's, or less, or more: it needs no
/// other fault.
std::optional<std::size_t> Buckets::showing(const Bucket& b) const {
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        const Bucket& other = buckets_[k];
        const bool alike = other.hypothesis().empty() && other.reason.empty() && b.reason.empty() &&
                           other.verdict.outcome == b.verdict.outcome &&
                           other.verdict.clause == b.verdict.clause && other.refused == b.refused &&
                           other.smallest.op == b.smallest.op && other.smallest.mode == b.smallest.mode;
        if (alike && (includes(other.features, b.features) || includes(b.features, other.features))) return k;
    }
    return std::nullopt;
}

/// The bucket whose fault is among those that explain this one.
std::optional<std::size_t> Buckets::of_fault(const Bucket& b) const {
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        const Explanation* fault = buckets_[k].fault();
        const auto names_it = [&](const Explanation& e) { return e.whole() && e.name == fault->name; };
        if (fault != nullptr && std::any_of(b.explanations.begin(), b.explanations.end(), names_it)) return k;
    }
    return std::nullopt;
}

void Buckets::shrink(const Failure& f, Bucket& b, Known& known) {
    const Shrunk r = shrunk(
        f.c,
        [&](const Case& x) {
            const Observation o = answers_(x);
            const Verdict now = judge(expect(*plan(x), x), o);
            if (f.verdict.outcome == Outcome::broke) return now.outcome == Outcome::broke;
            if (!f.reason.empty()) return search::reason(o, now) == f.reason;
            return now.outcome == f.verdict.outcome && now.clause == f.verdict.clause;
        },
        limits_of(f.c, f.verdict, limits_));
    b.reproduced = r.reproduced || r.cut_off;
    b.smallest = r.smallest;
    b.features = telling_features(b.smallest);
    if (!r.reproduced || b.smallest == f.c) return;
    const Expected expected = expect(*plan(b.smallest), b.smallest);
    const Observation again = answers_(b.smallest);
    const Verdict now = judge(expected, again);
    b.answer = again;
    if (now.outcome >= Outcome::deviates) b.verdict = now;
    if (const std::string reason = search::reason(again, now); !reason.empty())
        known.reasons.push_back(reason);
    known.explainer.add(b.smallest, &expected, again);
}

/// The bucket that the failure goes to, a new one if need be.
std::size_t Buckets::sort(const Failure& f) {
    auto known_place = explaining(f);
    if (!known_place) known_place = of_reason(f);
    if (!known_place) known_place = seen_enough(f);
    if (known_place) return ++buckets_[*known_place].cases, *known_place;

    Bucket b;
    b.first = f.index;
    b.cases = 1;
    b.smallest = f.c;
    b.verdict = f.verdict;
    b.answer = f.answer;
    b.reason = f.reason;
    Known known;
    if (!f.reason.empty()) known.reasons.push_back(f.reason);
    if (f.expected == nullptr || f.c.input.size() <= most_cells_to_explain)
        known.explainer.add(f.c, f.expected, f.answer);
    if (f.expected != nullptr) {
        shrink(f, b, known);
    } else {
        const auto settled = plan(f.c);
        b.refused = settled ? "" : settled.rejection().field;
    }
    known.explainer.keep_whole();
    b.explanations = known.explainer.ranked();
    if (const auto k = of_fault(b)) return ++buckets_[*k].cases, *k;
    if (!b.explained()) {
        known.signatures.push_back(f.signature);
        if (const auto k = showing(b)) {
            Bucket& other = buckets_[*k];
            ++other.cases;
            known_[*k].signatures.push_back(f.signature);
            if (b.smallest.input.size() < other.smallest.input.size()) {
                b.cases = other.cases;
                b.first = other.first;
                other = std::move(b);
            }
            return *k;
        }
    }
    buckets_.push_back(std::move(b));
    known_.push_back(std::move(known));
    return buckets_.size() - 1;
}

bool Buckets::add(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
                  const Verdict& v) {
    const std::size_t before = buckets_.size();
    sort({index, c, expected, o, v, search::reason(o, v), signature(c, v)});
    return buckets_.size() > before;
}

void Buckets::restore(std::uint64_t index, Index cases, const Case& c, const Expected* expected,
                      const Observation& o, const Verdict& v) {
    const std::size_t before = buckets_.size();
    const std::size_t k = sort({index, c, expected, o, v, search::reason(o, v), signature(c, v)});
    buckets_[k].cases += cases - 1;
    if (k == before) buckets_[k].first = index;
}

void Buckets::add_right(const Case& c, const std::function<const Expected*()>& expected,
                        const Observation& o) {
    constexpr Index enough = 200;
    if (c.input.size() > most_cells_to_explain) return;
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        if (!buckets_[k].explained()) continue;
        if (known_[k].looked_at >= enough || c.op != buckets_[k].smallest.op) continue;
        const Expected* const sets = expected();
        if (sets == nullptr) return;
        ++known_[k].looked_at;
        known_[k].explainer.add(c, sets, o, !same_kind(c, buckets_[k].smallest));
        buckets_[k].explanations = known_[k].explainer.ranked();
    }
}

}  // namespace poolproof
