// SPDX-License-Identifier: Apache-2.0
#include <poolproof/kernel.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <exception>

namespace poolproof {

namespace {

/// The kernel as it is asked: complete cases, and no exception comes out.
Answers complete_and_guarded(const Answers& kernel) {
    return [&kernel](const Case& c) -> Observation {
        try {
            return kernel(completed(c));
        } catch (const std::exception& e) {
            return {Observation::Kind::failed, {}, std::string("threw: ") + e.what()};
        } catch (...) { return {Observation::Kind::failed, {}, "threw something that is no std::exception"}; }
    };
}

std::string account(const Verdict& v, const Case& c) {
    const auto settled = plan(c);
    return (settled ? verdict_text(v, *settled, c) : verdict_text(v)) + "  case       " + write_case(c) +
           "\n";
}

}  // namespace

std::optional<std::string> complaint(const Answers& kernel, const Case& c) {
    const Observation o = complete_and_guarded(kernel)(c);
    const auto settled = plan(c);
    const Verdict v = settled ? judge_case(*settled, c, o) : judge_rejection(o);
    if (v.outcome < Outcome::deviates) return std::nullopt;
    return account(v, completed(c));
}

std::string Conformity::text() const {
    std::string s = std::to_string(failed) + " of " + std::to_string(judged) + " judged cases fail\n";
    for (const Bucket& b : buckets) {
        s += "\n" + b.name() + ": " + std::to_string(b.cases) + (b.cases == 1 ? " case\n" : " cases\n");
        if (const auto* e = b.fault()) s += "  like this  " + e->vice + "\n";
        s += "  " + account(b.verdict, completed(b.smallest));
    }
    return s;
}

Checked<Conformity> conformity(const Answers& kernel, const Request& request, std::uint64_t cases) {
    const auto make = generator(request);
    if (!make) return make.rejection();
    const Answers answers = complete_and_guarded(kernel);
    Buckets buckets(answers);
    Conformity r;
    for (std::uint64_t k = 0; k < cases; ++k) {
        const Case c = (*make)(k);
        const Plan settled = *plan(c);
        const Expected expected = expect(settled, c, {0, slice_count(settled, c)});
        const Observation o = answers(c);
        const Verdict v = judge(expected, o);
        if (v.outcome == Outcome::conforms)
            buckets.add_right(
                c, [&] { return &expected; }, o);
        r.judged += v.outcome == Outcome::conforms || v.outcome >= Outcome::deviates ? 1 : 0;
        if (v.outcome < Outcome::deviates) continue;
        ++r.failed;
        buckets.add(k, c, &expected, o, v);
    }
    r.buckets = buckets.all();
    return r;
}

}  // namespace poolproof
