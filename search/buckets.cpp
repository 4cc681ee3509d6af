// SPDX-License-Identifier: Apache-2.0
#include <poolproof/plan.hpp>
#include <poolproof/search.hpp>

#include <algorithm>
#include <array>

namespace poolproof {

namespace {

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
    if (v.outcome == Outcome::broke || v.tally.deviating == 0) r += " " + v.why.substr(0, 40);
    return r;
}

std::vector<std::string> whole(const std::vector<Explanation>& explanations) {
    std::vector<std::string> r;
    for (const Explanation& e : explanations)
        if (e.whole()) r.push_back(e.name);
    return r;
}

}  // namespace

/// What a bucket goes by.
struct Buckets::Known {
    Explainer explainer;
    std::vector<std::string> signatures;  ///< of failures that came here, unexplained, after shrinking
    Index looked_at = 0;
};

std::string Bucket::hypothesis() const {
    return !explanations.empty() && explanations.front().whole() ? explanations.front().name : "";
}

std::string Bucket::name() const {
    std::string r = verdict.outcome == Outcome::broke ? "broke" : "[" + verdict.clause + "]";
    const std::string fault = hypothesis();
    r += fault.empty() ? " unexplained" : " " + fault;
    for (const Feature f : features) r.append(" ").append(poolproof::name(f));
    return refused.empty() ? r : r + " (must be rejected: " + refused + ")";
}

Buckets::Buckets(const Answers& answers, ShrinkLimits limits) : answers_(answers), limits_(limits) {}
Buckets::~Buckets() = default;

void Buckets::update(std::size_t k) {
    known_[k].explainer.keep_whole();
    buckets_[k].explanations = known_[k].explainer.ranked();
}

bool Buckets::counted(const Case& c, const Expected* expected, const Observation& o,
                      const std::string& signature) {
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        if (buckets_[k].hypothesis().empty()) continue;
        Explainer more = known_[k].explainer;
        more.add(c, expected, o);
        const auto ranked = more.ranked();
        if (whole(ranked).empty()) continue;
        known_[k].explainer = std::move(more);
        update(k);
        ++buckets_[k].cases;
        return true;
    }
    // What no hypothesis explains is shrunk a few times; when that says nothing new, it is not worth its
    // time.
    constexpr std::ptrdiff_t enough = 6;
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        const auto& seen = known_[k].signatures;
        if (std::count(seen.begin(), seen.end(), signature) < enough) continue;
        ++buckets_[k].cases;
        return true;
    }
    return false;
}

bool Buckets::add(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
                  const Verdict& v) {
    const std::string mark = signature(c, v);
    if (counted(c, expected, o, mark)) return false;

    Bucket b;
    b.first = index;
    b.cases = 1;
    b.smallest = c;
    b.verdict = v;
    Known known;
    // On a large case hundreds of hypotheses take longer than shrinking it.
    constexpr Index large = 300;
    if (expected == nullptr || c.input.size() <= large) known.explainer.add(c, expected, o);
    if (expected != nullptr) {
        const Shrunk r = shrunk(
            c,
            [&](const Case& x) {
                const Verdict now = judge(expect(*plan(x), x), answers_(x));
                return now.outcome == v.outcome && (v.outcome == Outcome::broke || now.clause == v.clause);
            },
            limits_);
        b.reproduced = r.reproduced;
        b.smallest = r.smallest;
        if (r.reproduced) {
            const Expected of_smallest = expect(*plan(b.smallest), b.smallest);
            const Observation again = answers_(b.smallest);
            const Verdict now = judge(of_smallest, again);
            if (now.outcome >= Outcome::deviates) b.verdict = now;
            known.explainer.add(b.smallest, &of_smallest, again);
        }
        b.features = telling_features(b.smallest);
    } else {
        const auto settled = plan(c);
        b.refused = settled ? "" : settled.rejection().field;
    }
    known.explainer.keep_whole();
    b.explanations = known.explainer.ranked();
    const bool unexplained = b.hypothesis().empty();
    if (unexplained) known.signatures.push_back(mark);

    for (std::size_t k = 0; unexplained && k < buckets_.size(); ++k) {
        Bucket& other = buckets_[k];
        if (!other.hypothesis().empty() || other.verdict.outcome != b.verdict.outcome ||
            other.verdict.clause != b.verdict.clause || other.features != b.features ||
            other.refused != b.refused)
            continue;
        ++other.cases;
        known_[k].signatures.push_back(mark);
        if (b.smallest.input.size() < other.smallest.input.size()) {
            b.cases = other.cases;
            b.first = other.first;
            other = std::move(b);
        }
        return false;
    }
    buckets_.push_back(std::move(b));
    known_.push_back(std::move(known));
    return true;
}

void Buckets::restore(std::uint64_t index, Index cases, const Case& c, const Expected* expected,
                      const Observation& o, const Verdict& v) {
    if (!add(index, c, expected, o, v)) return;
    buckets_.back().cases = cases;
    buckets_.back().first = index;
}

void Buckets::add_right(const Case& c, const Expected& expected, const Observation& o) {
    constexpr Index enough = 200;
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
        if (buckets_[k].explanations.size() < 2 || buckets_[k].hypothesis().empty()) continue;
        if (known_[k].looked_at >= enough || c.op != buckets_[k].smallest.op) continue;
        ++known_[k].looked_at;
        known_[k].explainer.add(c, &expected, o);
        buckets_[k].explanations = known_[k].explainer.ranked();
    }
}

}  // namespace poolproof
