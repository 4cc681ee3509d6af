// SPDX-License-Identifier: Apache-2.0
// What reading alone does not show: answers, clauses, flags, duplicates, frozen hashes.
#include "vectorbase/described.hpp"
#include "vectorbase/draft.hpp"
#include "vectorbase/frozen.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace poolproof {

namespace {

class Lint {
public:
    explicit Lint(const VectorBase& base) : base_(base) {}

    std::vector<Rejection> complaints() {
        auto reference = find_backend("reference");
        for (const VectorFile& f : base_.files)
            for (const Vector& v : f.vectors) {
                file_ = f.name();
                check_words(v);
                check_answers(v);
                check_reference(v, **reference);
            }
        check_flags();
        check_frozen();
        return std::move(found_);
    }

private:
    void complain(const Vector& v, const std::string& field, std::string reason, std::string remedy) {
        found_.push_back({file_ + ": " + v.id + "." + field, std::move(reason), std::move(remedy)});
    }

    void check_words(const Vector& v) {
        if (!vectorbase::is_clause(v.clause))
            complain(v, "clause", "'" + v.clause + "' is not in docs/SPEC.md",
                     "name one of 'poolproof explain'");
        for (const std::string& flag : v.flags) {
            used_.insert(flag);
            if (!vectorbase::has_note(base_, flag))
                complain(v, "flags", "'" + flag + "' has no note", "add one to flags.json");
        }
        if (const auto [same, fresh] = ids_.emplace(v.id, file_); !fresh)
            complain(v, "id", "is also in " + same->second, "rename one");
        if (const auto [same, fresh] = contents_.emplace(v.hash, v.id); !fresh)
            complain(v, "hash", "is also that of " + same->second, "remove one");
    }

    void check_answers(const Vector& v) {
        Vector again;
        again.clause = v.clause;
        again.question = v.question;
        if (const auto r = vectorbase::answer(again, {v.profiles, v.formats, v.must_be_rejected()})) {
            complain(v, r->field, r->reason, r->remedy);
        } else if (again.hash != v.hash) {
            complain(v, "answers", "are not what the oracle gives for this case",
                     "add the vector anew, saying why");
        }
    }

    /// The reference shares no code with the oracle.
    void check_reference(const Vector& v, Backend& reference) {
        for (const std::string& profile : v.profiles)
            for (std::size_t k = 0; k < v.formats.size(); ++k) {
                const Observation o = reference.run(instance(v, v.formats[k], profile));
                const Verdict verdict =
                    v.must_be_rejected() ? judge_rejection(o) : judge(v.answers[k].expected, o);
                if (verdict.outcome >= Outcome::deviates)
                    complain(v, "answers", "the reference deviates in " + std::string(name(v.formats[k])),
                             "find out which of the two is wrong");
            }
    }

    void check_flags() {
        for (const FlagNote& n : base_.flags) {
            if (used_.count(n.name) == 0)
                found_.push_back({"flags.json: " + n.name, "is on no vector", "remove it"});
            if (n.shows.empty())
                found_.push_back({"flags.json: " + n.name, "says nothing", "say what it shows"});
            if (n.reports.empty() == n.no_report.empty())
                found_.push_back(
                    {"flags.json: " + n.name,
                     n.reports.empty() ? "has no report, and no reason for that"
                                       : "has reports, and a reason why it has none",
                     "give public links in `reports`, or say why there are none in `no_report`"});
        }
    }

    void check_frozen() {
        for (Rejection& r : vectorbase::unexplained_changes(base_)) found_.push_back(std::move(r));
    }

    const VectorBase& base_;
    std::string file_;
    std::vector<Rejection> found_;
    std::set<std::string> used_;
    std::map<std::string, std::string> ids_, contents_;
};

}  // namespace

std::vector<Rejection> lint_vectors(const VectorBase& base) { return Lint(base).complaints(); }

}  // namespace poolproof
