// SPDX-License-Identifier: Apache-2.0
#include "cli/explained.hpp"

#include "cli/interrupt.hpp"
#include "cli/report_folder.hpp"
#include "cli/searching.hpp"

#include <poolproof/plan.hpp>

#include <chrono>
#include <cstdio>

namespace poolproof::cli {

namespace {

constexpr std::size_t kept_failures = 12;
constexpr Index largest = 5000;  ///< elements of a case that is shrunk
constexpr Index evaluations = 1000;
constexpr std::chrono::seconds patience{8};

}  // namespace

void FirstFailures::keep(const Judged& j) {
    if (kept_.size() < kept_failures && j.verdict.outcome != Outcome::broke &&
        j.subject.c.input.size() <= largest)
        kept_.push_back({j.subject.label, j.subject.c, j.observation, j.verdict});
}

std::optional<Rejection> FirstFailures::explain(Backend& backend, const std::string& backend_name,
                                                const std::optional<std::string>& folder) const {
    if (kept_.empty() || backend.gone()) return std::nullopt;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    const auto over = [&] { return interrupted() != 0 || std::chrono::steady_clock::now() >= deadline; };
    Searching search(backend, {evaluations, over});
    std::size_t looked_at = 0;
    for (; looked_at < kept_.size() && !over() && !backend.gone(); ++looked_at) {
        const Kept& k = kept_[looked_at];
        const auto settled = plan(k.c);
        const auto expected = settled ? std::optional(expect(*settled, k.c)) : std::nullopt;
        search.add(looked_at, k.c, expected ? &*expected : nullptr, k.answer, k.verdict);
    }
    std::optional<Rejection> lost;
    std::printf("The first %zu failing case%s, shrunk and explained:\n\n", looked_at,
                looked_at == 1 ? "" : "s");
    for (std::size_t k = 0; k < search.buckets().size(); ++k) {
        const Bucket& b = search.buckets()[k];
        const Case c = search.sent(k);
        print_bucket(b, c, kept_[static_cast<std::size_t>(b.first)].label);
        const std::string file = folder ? bucket_file(*folder, k) : std::string("-");
        if (folder && !lost) lost = write_case_file(file, c, about(b, backend.declaration(), std::nullopt));
        if (!lost && b.reproduced)
            std::printf("  again      poolproof replay %s --backend '%s'%s\n", file.c_str(),
                        backend_name.c_str(), folder ? "" : ", with the case on its standard input");
        std::printf("\n");
    }
    return lost;
}

}  // namespace poolproof::cli
