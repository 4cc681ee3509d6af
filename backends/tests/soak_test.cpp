// SPDX-License-Identifier: Apache-2.0
// Long runs of backends that break: nothing is lost, nothing leaks, and who is right is judged as if nobody
// had broken. A few cases here; POOLPROOF_SOAK=200000 and POOLPROOF_CRASHES=5000 make them long. Both print
// what they counted.
#include <poolproof/run.hpp>

#include <gtest/gtest.h>

#include <dirent.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#if defined(__SANITIZE_ADDRESS__)
#define POOLPROOF_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOLPROOF_ASAN 1
#endif
#endif

namespace poolproof {
namespace {

/// AddressSanitizer keeps what is freed for a while, up to a quarter of a gigabyte.
#ifdef POOLPROOF_ASAN
constexpr bool keeps_freed_memory = true;
#else
constexpr bool keeps_freed_memory = false;
#endif

std::uint64_t asked_for(const char* variable, std::uint64_t otherwise) {
    const char* value = std::getenv(variable);
    return value == nullptr ? otherwise : std::stoull(value);
}

std::vector<std::string> entries(const std::string& path) {
    DIR* folder = opendir(path.c_str());
    std::vector<std::string> names;
    while (const dirent* entry = readdir(folder))
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    closedir(folder);
    return names;
}

/// What this process holds of what it could leak, its threads' children included.
struct Held {
    std::size_t descriptors = entries("/proc/self/fd").size();
    std::size_t children = 0;
    std::uint64_t resident = 0;

    Held() {
        for (const std::string& thread : entries("/proc/self/task")) {
            std::ifstream list("/proc/self/task/" + thread + "/children");
            for (std::string pid; list >> pid;) ++children;
        }
        std::ifstream pages("/proc/self/statm");
        std::uint64_t size = 0;
        pages >> size >> resident;
        resident *= static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    }
};

void print(const char* when, std::uint64_t cases, const Held& held) {
    std::printf("%s, after %llu cases: %zu descriptors, %zu children, %.1f MB resident\n", when,
                static_cast<unsigned long long>(cases), held.descriptors, held.children,
                static_cast<double>(held.resident) / 1e6);
}

Index sum(const Totals& t) {
    Index n = t.not_covered;
    for (const Index count : t.by_outcome) n += count;
    return n;
}

Totals soaked(const std::string& name, const Request& request, std::uint64_t cases,
              const std::function<void(const Judged&)>& visit) {
    Limits limits;
    limits.deadline = std::chrono::milliseconds(1000);
    limits.restarts = INT64_MAX;
    const auto backend = find_backend(name, limits);
    if (!backend) throw std::runtime_error(message(backend.rejection()));
    if (const auto why = (*backend)->start()) throw std::runtime_error(*why);
    const auto source = generated_cases(request, (*backend)->declaration(), 0, cases);
    const Totals totals = judge_all(**backend, *source, [&](const Judged& j) {
        visit(j);
        return true;
    });
    EXPECT_FALSE((*backend)->gone());
    EXPECT_EQ(sum(totals), totals.cases);
    return totals;
}

TEST(Soak, WhoBreaksAtRandomChangesNoOtherVerdict) {
    const std::string here = __FILE__;
    const std::string adapter = "cmd:python3 " + here.substr(0, here.rfind("backends/")) +
                                "adapters/tests/misbehaves.py anything --every ";
    const std::uint64_t cases = asked_for("POOLPROOF_SOAK", 800);
    const Request request{.seed = 7, .profile = "tiny_pool"};
    std::map<std::string, Verdict> verdicts;
    const Totals healthy = soaked(adapter + "1000000000", request, cases,
                                  [&](const Judged& j) { verdicts[j.subject.label] = j.verdict; });
    std::set<std::string> seen;
    const Held before;
    const Totals breaking =
        soaked(adapter + (cases > 5000 ? "500" : "100"), request, cases, [&](const Judged& j) {
            const std::string& label = j.subject.label;
            EXPECT_TRUE(seen.insert(label).second) << label;
            const auto other = verdicts.find(label);
            ASSERT_NE(other, verdicts.end()) << label;
            if (j.verdict.outcome == Outcome::broke) return;
            EXPECT_EQ(j.verdict.outcome, other->second.outcome) << label;
            EXPECT_EQ(j.verdict.tally.conforming, other->second.tally.conforming) << label;
            EXPECT_EQ(j.verdict.tally.open, other->second.tally.open) << label;
        });
    const Held after;

    EXPECT_EQ(seen.size(), verdicts.size());
    EXPECT_EQ(healthy.bad(), 0);
    EXPECT_EQ(breaking.count(Outcome::deviates), 0);
    EXPECT_GT(breaking.count(Outcome::broke), 0);
    EXPECT_LT(breaking.count(Outcome::broke), static_cast<Index>(cases / 30));
    EXPECT_EQ(breaking.cases, healthy.cases);
    std::printf("%lld cases, %lld broke, %lld conform\n", static_cast<long long>(breaking.cases),
                static_cast<long long>(breaking.count(Outcome::broke)),
                static_cast<long long>(breaking.count(Outcome::conforms)));
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_EQ(after.children, before.children);
}

TEST(Soak, CrashesInARowLeakNothing) {
    setenv("POOLPROOF_ADAPTER_MISBEHAVE", "crash", 1);
    setenv("ASAN_OPTIONS", "handle_segv=0", 1);
    const std::uint64_t crashes = asked_for("POOLPROOF_CRASHES", 60);
    const Held before;
    std::optional<Held> early, late;
    // Every third call crashes, so each crash costs three cases.
    std::uint64_t done = 0;
    const Totals totals = soaked("plugin:" POOLPROOF_PLUGINS "/libpoolproof_misbehaves.so",
                                 {.seed = 1, .formats = {Format::f64}, .profile = "torchlean"}, 3 * crashes,
                                 [&](const Judged&) {
                                     ++done;
                                     if (done == crashes) early.emplace();
                                     if (done == 3 * crashes - 1) late.emplace();
                                     if (crashes >= 1000 && done % crashes == 0)
                                         print("crashing", done, Held());
                                 });
    const Held after;
    print("before", 0, before);
    print("after", 3 * crashes, after);
    std::printf("%lld crashes\n", static_cast<long long>(totals.count(Outcome::broke)));
    EXPECT_GE(totals.count(Outcome::broke), static_cast<Index>(crashes / 2));
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_EQ(after.children, before.children);
    ASSERT_TRUE(early && late);
    // Two thirds of the crashes lie between the two, while the child may be starting, running or gone: what
    // leaked with every crash would be more than this.
    EXPECT_LT(late->children, 3 + crashes / 3);
    EXPECT_LT(late->descriptors, early->descriptors + crashes / 3);
    if (!keeps_freed_memory) { EXPECT_LT(late->resident, early->resident + (std::uint64_t{16} << 20)); }
}

}  // namespace
}  // namespace poolproof
