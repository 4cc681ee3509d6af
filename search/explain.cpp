// SPDX-License-Identifier: Apache-2.0
// The liars' faults as hypotheses: each answers the case, and its answers are laid beside what was observed.
#include <poolproof/search.hpp>

#include "backends/faulty/run.hpp"
#include "backends/faulty/table.hpp"

#include <algorithm>

namespace poolproof {

namespace {

const std::vector<faulty::Rules>& hypotheses() {
    static const std::vector<faulty::Rules> all = [] {
        std::vector<faulty::Rules> r(faulty::faults().size());
        for (std::size_t k = 0; k < r.size(); ++k) faulty::faults()[k].lie(r[k]);
        return r;
    }();
    return all;
}

struct Count {
    Index explained = 0, of = 0, contradicted = 0;

    void compare(bool deviates, bool would_deviate, bool same) {
        of += deviates ? 1 : 0;
        explained += deviates && would_deviate && same ? 1 : 0;
        contradicted += !deviates && would_deviate && !same ? 1 : 0;
    }
};

std::uint64_t distance(Format f, Bits a, Bits b) {
    return ordinal(f, a) < ordinal(f, b) ? steps_between(f, a, b) : steps_between(f, b, a);
}

/// Whether two wrong values are one, up to rounding: as near as right values may be to each other, and much
/// nearer than to the right ones.
bool same_value(Format f, const Permitted& p, Bits a, Bits b) {
    if (a == b || (is_nan(f, a) && is_nan(f, b))) return true;
    if (is_nan(f, a) || is_nan(f, b) || is_infinite(f, a) || is_infinite(f, b) || !p.range) return false;
    const std::uint64_t width = steps_between(f, p.lowest, p.highest);
    if (width == 0) return false;
    const std::uint64_t apart = distance(f, a, b);
    const std::uint64_t off = std::min(distance(f, a, p.lowest), distance(f, a, p.highest));
    return apart / 2 <= width && apart < off / 4;
}

bool has_form_of(const Tensor* t, const ExpectedOutput& output) {
    return t != nullptr && t->shape == output.shape && t->format == output.format;
}

/// An output that is missing or of another form than the expected one: a hypothesis has to give that form,
/// and its values nearly.
Count compared_form(const Tensor* got, const Tensor* hypothesis) {
    constexpr std::uint64_t near = 64;  // steps, which rounding may cause
    Count r;
    r.of = 1 + (got != nullptr ? got->size() : 0);
    if (got == nullptr || hypothesis == nullptr) {
        r.explained = got == hypothesis ? 1 : 0;
        return r;
    }
    const Format f = got->format;
    if (hypothesis->shape != got->shape || hypothesis->format != f) return r;
    r.explained = 1;
    for (Index i = 0; i < got->size(); ++i) {
        const Bits a = (*got)[i], b = (*hypothesis)[i];
        const bool numbers = !is_nan(f, a) && !is_nan(f, b);
        r.explained += a == b || (numbers ? distance(f, a, b) <= near : is_nan(f, a) == is_nan(f, b)) ? 1 : 0;
    }
    return r;
}

Count compared_values(const ExpectedOutput& output, const Tensor& got, const Tensor* hypothesis,
                      bool jointly_refused) {
    Count r;
    const bool comparable = has_form_of(hypothesis, output);
    for (Index i = 0; i < got.size(); ++i) {
        const bool deviates = jointly_refused || !permitted(output, i, got[i]);
        if (!comparable) {
            r.compare(deviates, true, false);
            continue;
        }
        const Bits b = (*hypothesis)[i];
        const bool would_deviate = jointly_refused || !permitted(output, i, b);
        const bool same =
            output.positions.empty() && !jointly_refused
                ? same_value(output.format, output.values[static_cast<std::size_t>(i)], got[i], b)
                : got[i] == b;
        r.compare(deviates, would_deviate, same);
    }
    return r;
}

bool refused_jointly(const Expected& expected, const Observation& o) {
    const Verdict v = judge(expected, o);
    return v.outcome == Outcome::deviates && v.tally.deviating == 0 && v.first_deviations.empty() &&
           std::all_of(expected.outputs.begin(), expected.outputs.end(), [&](const ExpectedOutput& output) {
               return has_form_of(o.find(output.name), output);
           });
}

/// Of an answer, to a valid case or to one that must be rejected.
Count compared_answer(const Expected* expected, const Observation& o, const Observation& hypothesis,
                      bool joint) {
    Count sum;
    const auto add = [&](const Count& c) {
        sum.of += c.of;
        sum.explained += c.explained;
        sum.contradicted += c.contradicted;
    };
    if (expected == nullptr)
        for (const auto& [name, tensor] : o.outputs) add(compared_form(&tensor, hypothesis.find(name)));
    else
        for (const ExpectedOutput& output : expected->outputs) {
            const Tensor* got = o.find(output.name);
            const Tensor* wrong = hypothesis.find(output.name);
            if (has_form_of(got, output))
                add(compared_values(output, *got, wrong, joint));
            else
                add(compared_form(got, has_form_of(wrong, output) ? nullptr : wrong));
        }
    return sum;
}

Count compared(const Expected* expected, const Observation& o, const Observation& hypothesis, bool joint) {
    using Kind = Observation::Kind;
    Count r;
    const bool right = o.kind == (expected != nullptr ? Kind::answered : Kind::rejected);
    if (o.kind == Kind::answered && hypothesis.kind == Kind::answered)
        return compared_answer(expected, o, hypothesis, joint);
    if (o.kind == Kind::answered) {
        // A hypothesis that refuses what was answered explains nothing and is contradicted.
        r = compared_answer(expected, o, {}, joint);
        r.explained = 0;
        r.contradicted = hypothesis.kind == Kind::rejected && right ? 1 : 0;
        return r;
    }
    r.compare(!right && o.kind != Kind::declined, hypothesis.kind != (right ? o.kind : Kind::declined),
              o.kind == hypothesis.kind && o.kind == Kind::rejected);
    return r;
}

}  // namespace

Explainer::Explainer() : scores_(faulty::faults().size()) {
    for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k].fault = k;
}

void Explainer::add(const Case& c, const Expected* expected, const Observation& o, bool of_another_kind) {
    const bool joint =
        expected != nullptr && o.kind == Observation::Kind::answered && refused_jointly(*expected, o);
    Index of = 0;
    for (Score& s : scores_) {
        const Count count = compared(expected, o, faulty::run(hypotheses()[s.fault], c), joint);
        s.explained += count.explained;
        s.contradicted += count.contradicted;
        s.refuting += of_another_kind ? 0 : count.contradicted;
        of = count.of;
    }
    deviating_ += of;
}

std::vector<Explanation> Explainer::ranked() const {
    std::vector<Score> order = scores_;
    std::erase_if(order, [](const Score& s) { return s.explained == 0; });
    std::stable_sort(order.begin(), order.end(), [](const Score& a, const Score& b) {
        return a.explained != b.explained ? a.explained > b.explained : a.contradicted < b.contradicted;
    });
    std::vector<Explanation> r;
    for (const Score& s : order) {
        const faulty::Fault& f = faulty::faults()[s.fault];
        r.push_back({f.name, f.vice, s.explained, deviating_, s.contradicted, s.refuting});
    }
    return r;
}

void Explainer::keep_whole() {
    const auto whole = [&](const Score& s) { return deviating_ > 0 && s.explained == deviating_; };
    if (std::any_of(scores_.begin(), scores_.end(), whole))
        std::erase_if(scores_, [&](const Score& s) { return !whole(s); });
}

std::vector<Explanation> explain(const Case& c, const Expected& expected, const Observation& o) {
    Explainer e;
    e.add(c, &expected, o);
    return e.ranked();
}

std::vector<std::string> strength(const Case& c, const Expected& expected) {
    std::vector<std::string> r;
    for (std::size_t k = 0; k < hypotheses().size(); ++k)
        if (judge(expected, faulty::run(hypotheses()[k], c)).outcome == Outcome::deviates)
            r.push_back(faulty::faults()[k].name);
    return r;
}

}  // namespace poolproof
