// SPDX-License-Identifier: Apache-2.0
// Small cases, [2,3,8,8] and k2, through whole runs: the reference in this process, in a host over either
// framing, and a Python program behind the adapters' helper.
#include "bench/random.hpp"
#include "bench/trial.hpp"

#include <poolproof/run.hpp>

#include <time.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace poolproof::bench {

namespace {

constexpr std::size_t distinct = 512;
constexpr std::size_t first =
    2048;  ///< cases of a run in which the exact oracle is asked more often than later
constexpr std::size_t each = 16384;  ///< further ones, which are timed

std::vector<Case> small_cases(Op op) {
    std::vector<Case> r(distinct);
    for (Case& c : r) {
        c.op = op;
        c.attrs.kernel = {2, 2};
        c.input = random_tensor({2, 3, 8, 8});
        c = completed(std::move(c));
    }
    return r;
}

double seconds_on(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The program that this thread started last; 0 if there is none.
pid_t last_child() {
    std::ifstream children("/proc/thread-self/children");
    pid_t last = 0;
    for (pid_t child = 0; children >> child;) last = child;
    return last;
}

/// What `each` cases of a run take, once its first ones are done: time, and CPU time on either side.
struct Spent {
    double wall = 1e9, here = 1e9, there = 1e9;
};

/// A backend, and the cases of its runs.
struct Runs {
    std::unique_ptr<Backend> backend;
    std::optional<clockid_t> there;  ///< the CPU time of the backend's program
    std::vector<Case> cases;
    std::size_t at = 0;
    Spent least;

    Runs(std::unique_ptr<Backend> b, Op op) : backend(std::move(b)), cases(small_cases(op)) {
        const pid_t before = last_child();
        if (const auto why = backend->start()) throw std::runtime_error(*why);
        const pid_t child = last_child();
        clockid_t clock{};
        if (child != before && clock_getcpuclockid(child, &clock) == 0) there = clock;
    }

    Spent now() const {
        return {seconds_on(CLOCK_MONOTONIC), seconds_on(CLOCK_THREAD_CPUTIME_ID),
                there ? seconds_on(*there) : 0};
    }

    void once() {
        std::size_t given = 0;
        Spent from;
        const Source source = [&]() -> std::optional<Subject> {
            if (given == first) from = now();
            if (given++ == first + each) return std::nullopt;
            return Subject{"", cases[at++ % distinct]};
        };
        const Totals t = judge_all(*backend, source, [](const Judged&) { return true; });
        if (t.count(Outcome::conforms) != static_cast<Index>(first + each))
            throw std::runtime_error("a case of the bench did not conform");
        const Spent to = now();
        least.wall = std::min(least.wall, to.wall - from.wall);
        least.here = std::min(least.here, to.here - from.here);
        least.there = std::min(least.there, to.there - from.there);
    }
};

/// The backend's runs, and beside them the reference alone on the same cases, if that is the backend. In this
/// process a case's time is CPU time, since one thread does all; between two it is time.
Trial runs(std::unique_ptr<Backend> backend, Op op, bool is_reference) {
    const auto state = std::make_shared<Runs>(std::move(backend), op);
    Trial t{{[=] { state->once(); }}, {}};
    if (is_reference)
        t.works.push_back([=, alone = std::shared_ptr<Backend>(std::move(*find_backend("reference")))] {
            for (const Case& c : state->cases) keep(alone->run(c));
        });
    t.figures = [=](const auto& seconds) {
        const bool two = state->there.has_value();
        const double us = 1e6 * (two ? state->least.wall : state->least.here) / each;
        Figures f{{"cases_per_s", 1e6 / us}, {"us_per_case", us}};
        if (two) {
            f.emplace_back("cpu_us_here", 1e6 * state->least.here / each);
            f.emplace_back("cpu_us_there", 1e6 * state->least.there / each);
        }
        if (is_reference) {
            const double inside = 1e6 * seconds[1] / distinct;
            f.emplace_back("backend_us", inside);
            f.emplace_back("outside_share", 1 - inside / us);
        }
        return f;
    };
    return t;
}

namespace fs = std::filesystem;

fs::path folder_of_this() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// In a folder above this program: the tree that it was built in.
std::optional<fs::path> above(const char* file) {
    for (fs::path at = folder_of_this(); at.has_relative_path(); at = at.parent_path())
        if (std::error_code error; fs::exists(at / file, error)) return at / file;
    return std::nullopt;
}

std::unique_ptr<Backend> command(const std::string& words, bool frames) {
    Limits limits;
    limits.frames = frames;
    return std::move(*find_backend("cmd:" + words, limits));
}

}  // namespace

void add_runs(std::vector<Measure>& to) {
    const std::string host = "'" + (folder_of_this() / "poolproof-host").string() + "' reference";
    const auto helper = above("bench/small_cases.py");
    for (const Op op : {Op::max_pool, Op::avg_pool}) {
        const auto add = [&](const std::string& kind, std::function<Trial()> start) {
            to.push_back({"run/" + kind + "/" + std::string(name(op)) + "/f64/k2s2", std::move(start)});
        };
        add("in_process", [=] { return runs(std::move(*find_backend("reference")), op, true); });
        add("frames", [=] { return runs(command(host, true), op, true); });
        add("lines", [=] { return runs(command(host, false), op, true); });
        if (helper)
            add("python",
                [=] { return runs(command("python3 '" + helper->string() + "'", true), op, false); });
    }
}

}  // namespace poolproof::bench
