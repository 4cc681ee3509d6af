// SPDX-License-Identifier: Apache-2.0
#include "vectorbase/strength.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <set>

namespace poolproof {

namespace vectorbase {

const std::vector<std::unique_ptr<Backend>>& all_liars() {
    static const std::vector<std::unique_ptr<Backend>> all = [] {
        std::vector<std::unique_ptr<Backend>> r;
        for (const Liar& l : liars()) r.push_back(std::move(*find_backend("faulty:" + l.name)));
        return r;
    }();
    return all;
}

bool lies(Backend& backend, const Case& c, const Expected* expected) {
    const Observation o = backend.run(c);
    return (expected != nullptr ? judge(*expected, o) : judge_rejection(o)).outcome >= Outcome::deviates;
}

std::vector<std::size_t> greedy_cover(const std::vector<std::vector<std::size_t>>& sets,
                                      const std::vector<std::size_t>& costs, std::size_t most) {
    // A gain only shrinks, so an entry that is still the best after counting again is the best of all.
    struct Entry {
        std::size_t gain, cost, position;
        bool operator<(const Entry& o) const {
            if (gain != o.gain) return gain < o.gain;
            return cost != o.cost ? cost > o.cost : position > o.position;
        }
    };
    std::priority_queue<Entry> queue;
    for (std::size_t k = 0; k < sets.size(); ++k) queue.push({sets[k].size(), costs[k], k});
    std::set<std::size_t> covered;
    std::vector<std::size_t> chosen;
    while (!queue.empty() && chosen.size() < most) {
        Entry e = queue.top();
        queue.pop();
        const auto& s = sets[e.position];
        const auto gain = static_cast<std::size_t>(
            std::count_if(s.begin(), s.end(), [&](std::size_t x) { return covered.count(x) == 0; }));
        if (gain == 0) continue;
        if (gain < e.gain) {
            queue.push({gain, e.cost, e.position});
            continue;
        }
        covered.insert(s.begin(), s.end());
        chosen.push_back(e.position);
    }
    return chosen;
}

namespace {

/// A set that holds all of `needed`, if there is one.
std::optional<std::size_t> one_for(const std::vector<std::vector<std::size_t>>& sets,
                                   const std::vector<std::size_t>& needed) {
    for (std::size_t k = 0; k < sets.size(); ++k)
        if (std::all_of(needed.begin(), needed.end(), [&](std::size_t x) {
                return std::find(sets[k].begin(), sets[k].end(), x) != sets[k].end();
            }))
            return k;
    return std::nullopt;
}

}  // namespace

std::vector<std::size_t> fewer(const std::vector<std::vector<std::size_t>>& sets,
                               std::vector<std::size_t> chosen) {
    for (std::size_t a = 0; a < chosen.size(); ++a)
        for (std::size_t b = a + 1; b < chosen.size(); ++b) {
            std::set<std::size_t> others;
            for (std::size_t k = 0; k < chosen.size(); ++k)
                if (k != a && k != b) others.insert(sets[chosen[k]].begin(), sets[chosen[k]].end());
            std::vector<std::size_t> needed;
            for (const std::size_t k : {a, b})
                for (const std::size_t x : sets[chosen[k]])
                    if (others.count(x) == 0) needed.push_back(x);
            const auto one = one_for(sets, needed);
            if (!one) continue;
            chosen[a] = *one;
            chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(b));
            return fewer(sets, std::move(chosen));
        }
    return chosen;
}

}  // namespace vectorbase

std::vector<std::size_t> kills(const Vector& v) {
    const auto& all = vectorbase::all_liars();
    std::vector<std::size_t> r;
    std::vector<std::vector<Case>> cases;
    for (const std::string& profile : v.profiles) {
        cases.emplace_back();
        for (const Format f : v.formats) cases.back().push_back(instance(v, f, profile));
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto profile = std::find(v.profiles.begin(), v.profiles.end(), all[k]->declaration().profile);
        if (profile == v.profiles.end()) continue;
        const auto& own = cases[static_cast<std::size_t>(profile - v.profiles.begin())];
        for (std::size_t f = 0; f < own.size(); ++f)
            if (vectorbase::lies(*all[k], own[f], v.must_be_rejected() ? nullptr : &v.answers[f].expected)) {
                r.push_back(k);
                break;
            }
    }
    return r;
}

std::vector<std::string> mark_smoke(VectorBase& base) {
    std::vector<Vector*> all;
    std::vector<std::vector<std::size_t>> sets;
    std::vector<std::size_t> costs;
    std::vector<bool> killed(liars().size());
    for (VectorFile& f : base.files)
        for (Vector& v : f.vectors) {
            v.smoke = false;
            all.push_back(&v);
            sets.push_back(kills(v));
            costs.push_back(v.question.size());
            for (const std::size_t k : sets.back()) killed[k] = true;
        }
    const auto few = vectorbase::fewer(sets, vectorbase::greedy_cover(sets, costs, all.size()));
    for (const std::size_t k : few) all[k]->smoke = true;
    std::vector<std::string> survivors;
    for (std::size_t k = 0; k < killed.size(); ++k)
        if (!killed[k]) survivors.push_back(liars()[k].name);
    return survivors;
}

}  // namespace poolproof
