// SPDX-License-Identifier: Apache-2.0
// The vectors as cases for a backend: which suit it, and how they are judged.
#include "text/json.hpp"

#include <poolproof/vectors.hpp>

#include <algorithm>

namespace poolproof {

namespace {

template <class T> bool wanted(const std::vector<T>& list, const T& value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

bool wanted(const VectorFilter& filter, const Vector& v) {
    return wanted(filter.levels, v.level) && (!filter.smoke || v.smoke) &&
           (filter.rejections || !v.must_be_rejected()) &&
           (filter.profile.empty() ||
            std::find(v.profiles.begin(), v.profiles.end(), filter.profile) != v.profiles.end());
}

/// With every default written out, unless an omitted attribute is what it is about.
Case asked(const Vector& v, Format f, const std::string& profile) {
    Case c = instance(v, f, profile);
    const bool as_written = std::any_of(v.flags.begin(), v.flags.end(), [](const std::string& flag) {
        return flag.find("omitted") != std::string::npos || flag == "rejection";
    });
    return as_written ? c : completed(std::move(c));
}

bool same_policies(const Checked<Plan>& a, const Checked<Plan>& b) {
    if (!a || !b) return !a && !b;
    return a->policy == b->policy && std::equal(a->nodes.begin(), a->nodes.end(), b->nodes.begin(),
                                                b->nodes.end(), [](const NodePlan& x, const NodePlan& y) {
                                                    return !x.pool || x.pool->policy == y.pool->policy;
                                                });
}

}  // namespace

bool meets(const VectorFilter& filter, const Vector& v) {
    if (!wanted(filter, v) ||
        std::none_of(v.formats.begin(), v.formats.end(), [&](Format f) { return wanted(filter.formats, f); }))
        return false;
    if (filter.ops.empty() && filter.modes.empty()) return true;
    const Case c = instance(v, v.formats.front(), v.profiles.front());
    return wanted(filter.ops, c.op) && wanted(filter.modes, c.mode);
}

std::vector<VectorInstance> instances(const VectorBase& base, const VectorFilter& filter) {
    std::vector<VectorInstance> r;
    for (const VectorFile& file : base.files)
        for (const Vector& v : file.vectors) {
            if (!wanted(filter, v)) continue;
            for (std::size_t k = 0; k < v.formats.size(); ++k) {
                if (!wanted(filter.formats, v.formats[k])) continue;
                Case c = asked(v, v.formats[k], filter.profile);
                if (!wanted(filter.ops, c.op) || !wanted(filter.modes, c.mode)) break;
                r.push_back({&v, v.formats[k], std::move(c),
                             v.must_be_rejected() ? nullptr : &v.answers[k].expected});
            }
        }
    return r;
}

bool suits(const Declaration& declaration, const std::string& profile, const Case& c, bool obeys) {
    if (obeys || !covers(declaration, c)) return true;
    std::vector<Choices> ways;
    for (const Capability& can : declaration.capabilities)
        if (covers(can, c)) ways.push_back(can.policy);
    if (declaration.capabilities.empty()) ways.emplace_back();
    return std::any_of(ways.begin(), ways.end(), [&](const Choices& way) {
        if (way == Choices{} && c.policy == Choices{}) return true;
        Case as_declared = c;
        as_declared.profile = profile;
        as_declared.policy = way;
        return same_policies(plan(as_declared), plan(c));
    });
}

Source vector_cases(const VectorBase& base, const VectorFilter& filter, const Declaration& declaration,
                    bool obeys) {
    return [all = instances(base, filter), declaration, profile = filter.profile, obeys,
            k = std::size_t{0}]() mutable -> std::optional<Subject> {
        while (k < all.size() && !suits(declaration, profile, all[k].c, obeys)) ++k;
        if (k == all.size()) return std::nullopt;
        VectorInstance& one = all[k++];
        return Subject{"vector " + one.vector->id, std::move(one.c)};
    };
}

ExactValue exact_value(const Vector& v, Index position) {
    const auto exact = text::parse(v.exact);
    const auto side = [&](const char* name) {
        return std::string(exact->root.find(name)->items()[static_cast<std::size_t>(position)].text());
    };
    if (exact->root.find("exact") == nullptr) return {side("lower"), side("upper"), ""};
    const std::string value = side("exact");
    const char last = value.back();  // of nan, inf, -inf and open it is a letter
    if (last < '0' || last > '9') return {"", "", value};
    return {value, value, ""};
}

Totals judge_by_vectors(Backend& backend, const std::vector<VectorInstance>& all,
                        const std::function<bool(const Judged&)>& visit) {
    constexpr std::size_t batch = 64;
    Totals totals;
    std::vector<const VectorInstance*> sent;
    std::vector<Case> cases;
    bool going = true;
    const auto judge_batch = [&] {
        backend.begin(cases);
        const auto observations = backend.finish();
        for (std::size_t k = 0; k < observations.size() && going && observations[k].asked; ++k) {
            const VectorInstance& one = *sent[k];
            ++totals.cases;
            Verdict v = one.expected == nullptr ? judge_rejection(observations[k])
                                                : judge(*one.expected, observations[k]);
            if (v.outcome == Outcome::declined && !backend.declaration().capabilities.empty())
                v = judge_declined(std::move(v));
            if (v.outcome == Outcome::deviates && v.clause.empty()) v.clause = one.vector->clause;
            const auto outcome = static_cast<std::size_t>(v.outcome);
            ++totals.by_outcome[outcome];
            ++totals.by_op[std::string(name(one.c.op))][outcome];
            totals.values += v.tally.conforming + v.tally.deviating;
            const Subject subject{"vector " + one.vector->id, one.c};
            going = visit({subject, nullptr, [&] { return one.expected; }, observations[k], v}) && going;
        }
        sent.clear();
        cases.clear();
        going &= !backend.gone().has_value();
    };
    for (const VectorInstance& one : all) {
        if (!going) break;
        if (!covers(backend.declaration(), one.c)) {
            ++totals.cases;
            ++totals.not_covered;
            continue;
        }
        sent.push_back(&one);
        cases.push_back(one.c);
        if (cases.size() == batch) judge_batch();
    }
    if (!cases.empty() && going) judge_batch();
    return totals;
}

}  // namespace poolproof
