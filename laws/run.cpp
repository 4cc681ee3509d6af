// SPDX-License-Identifier: Apache-2.0
// Laws at a backend: questions in batches.
#include <poolproof/laws.hpp>
#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace {

constexpr std::size_t batch_questions = 32;
constexpr std::uint64_t tries_for_a_question = 16;

struct Question {
    std::size_t law = 0;
    std::uint64_t number = 0;
    Relation relation;
};

/// The first law from its turn on that has something to ask.
std::optional<Question> question(const std::vector<Law>& laws, const Declaration& d, const Case& c,
                                 std::uint64_t number) {
    for (std::size_t turn = 0; turn < laws.size(); ++turn) {
        const std::size_t k = (number + turn) % laws.size();
        Relation r = laws[k].relation(c, number / laws.size());
        const bool covered =
            std::all_of(r.cases.begin(), r.cases.end(), [&](const Case& one) { return covers(d, one); });
        if (!r.cases.empty() && covered) return Question{k, number, std::move(r)};
    }
    return std::nullopt;
}

}  // namespace

LawTotals::Row LawTotals::sum() const {
    Row all;
    for (const Row& r : rows) {
        for (std::size_t k = 0; k < r.by_outcome.size(); ++k) all.by_outcome[k] += r.by_outcome[k];
        all.broken += r.broken;
        all.compared += r.compared;
    }
    return all;
}

bool count_in(std::vector<LawBucket>& buckets, const LawJudged& failed) {
    const Verdict& v = failed.verdict.verdict;
    const auto of_its_kind = std::find_if(buckets.begin(), buckets.end(), [&](const LawBucket& b) {
        return b.law == failed.law.name && b.clause == v.clause && b.broken == failed.verdict.broken;
    });
    if (of_its_kind != buckets.end()) return ++of_its_kind->questions, false;
    buckets.push_back({failed.law.name, v.clause, failed.verdict.broken, failed.number, 1});
    return true;
}

Checked<LawTotals> judge_laws(Backend& backend, const std::vector<Law>& laws, const Request& request,
                              std::uint64_t first, std::uint64_t count,
                              const std::function<bool(const LawJudged&)>& visit) {
    const auto source = generated_cases(request, backend.declaration(), first, count * tries_for_a_question);
    if (!source) return source.rejection();
    LawTotals totals;
    totals.rows.resize(laws.size());
    std::uint64_t number = first, asked = 0;
    bool going = true;
    while (going && asked < count && !backend.gone()) {
        std::vector<Question> batch;
        std::vector<Case> sent;
        while (batch.size() < batch_questions && asked + batch.size() < count) {
            const auto s = (*source)();
            if (!s) break;
            const std::uint64_t own = number++;
            const Case c = completed(s->c);
            if (!covers(backend.declaration(), c) || !plan(c)) continue;
            if (auto q = question(laws, backend.declaration(), c, own)) batch.push_back(std::move(*q));
        }
        if (batch.empty()) break;
        asked += batch.size();
        for (const Question& q : batch)
            sent.insert(sent.end(), q.relation.cases.begin(), q.relation.cases.end());
        backend.begin(sent);
        const auto answers = backend.finish();
        auto at = answers.begin();
        for (const Question& q : batch) {
            if (static_cast<std::size_t>(answers.end() - at) < q.relation.cases.size()) break;
            const auto end = at + static_cast<std::ptrdiff_t>(q.relation.cases.size());
            const std::vector<Observation> own(at, end);
            at = end;
            LawVerdict v = judge_law(laws[q.law], q.relation, own);
            LawTotals::Row& row = totals.rows[q.law];
            if (v.verdict.outcome == Outcome::declined && !backend.declaration().capabilities.empty())
                v.verdict = judge_declined(std::move(v.verdict));
            ++row.by_outcome[static_cast<std::size_t>(v.verdict.outcome)];
            row.broken += v.broken ? 1 : 0;
            row.compared += v.compared;
            totals.unmet += v.sets_met ? 0 : 1;
            if (!visit({laws[q.law], q.number, q.relation, own, v})) {
                going = false;
                break;
            }
        }
    }
    return totals;
}

}  // namespace poolproof
