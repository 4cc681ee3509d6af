// SPDX-License-Identifier: Apache-2.0
// `poolproof fuzz`: generated cases without end, failures shrunk and sorted. With --report a run goes on
// where the last one stopped: its log holds the blocks that are done, and each bucket has a case file.
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/judging.hpp"
#include "cli/limits.hpp"
#include "cli/request.hpp"
#include "cli/searching.hpp"

#include <poolproof/text.hpp>

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>

namespace poolproof::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Index block_cases = 4096;
constexpr Index enough_cases = 100'000;
constexpr const char* default_folder = "poolproof-fuzz";

struct Settings {
    Request request;
    Limits limits;
    std::string backend, folder = default_folder;
    bool resumable = false;
    std::optional<Index> cases;
    std::optional<std::chrono::milliseconds> duration;
};

Checked<std::chrono::milliseconds> duration(const std::string& text) {
    std::int64_t n = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, n);
    const std::string unit(stop, end);
    static const std::map<std::string, std::int64_t> units{
        {"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60'000}, {"h", 3'600'000}};
    const auto scale = units.find(unit);
    if (error != std::errc{} || scale == units.end() || n < 1 || n > 10'000'000)
        return Rejection{"--for", "is '" + text + "'", "write a time such as 500ms, 60s, 10m or 2h"};
    return std::chrono::milliseconds(n * scale->second);
}

/// What the blocks of a log add up to.
struct Done {
    std::uint64_t next = 0;  ///< number of the first case that no block holds
    std::array<Index, outcome_names.size()> by_outcome{};

    Index cases() const {
        Index n = 0;
        for (const Index k : by_outcome) n += k;
        return n;
    }
    Index count(Outcome o) const { return by_outcome[static_cast<std::size_t>(o)]; }
    Index bad() const { return count(Outcome::deviates) + count(Outcome::broke); }
    Index judged() const { return count(Outcome::conforms) + bad(); }
};

std::string block_line(std::uint64_t first, const Done& block) {
    std::string s =
        "{\"type\":\"block\",\"first\":" + std::to_string(first) + ",\"next\":" + std::to_string(block.next);
    for (std::size_t k = 0; k < outcome_names.size(); ++k)
        s += ",\"" + std::string(outcome_names[k]) + "\":" + std::to_string(block.by_outcome[k]);
    return s + "}";
}

template <class List, class Name> std::string names(const List& list, const Name& name_of) {
    std::string s;
    for (const auto x : list) s += (s.empty() ? "" : ",") + json_string(name_of(x));
    return "[" + s + "]";
}

/// All that decides which cases a run has: two logs with equal headers are parts of one run.
std::string header_line(const Request& r, const Declaration& d) {
    return "{\"type\":\"header\",\"format\":1,\"command\":\"fuzz\",\"generator\":" +
           std::to_string(generator_version) + ",\"seed\":" + std::to_string(r.seed) +
           ",\"profile\":" + json_string(*r.profile) + ",\"backend\":" + json_string(d.name) +
           ",\"version\":" + json_string(d.version) +
           ",\"ops\":" + names(r.ops, [](Op x) { return name(x); }) +
           ",\"modes\":" + names(r.modes, [](Mode x) { return name(x); }) +
           ",\"dtypes\":" + names(r.formats, [](Format x) { return name(x); }) + "}";
}

class Fuzzing {
public:
    Fuzzing(Backend& backend, Settings s)
        : settings_(std::move(s)),
          backend_(backend),
          spare_(spare_backend(settings_.backend, settings_.limits)),
          search_(*spare_, [this] { return shrunk_enough(); }) {
        if (!settings_.request.profile) settings_.request.profile = backend.declaration().profile;
        if (settings_.duration) deadline_ = Clock::now() + *settings_.duration;
    }

    std::optional<Rejection> run();
    const Done& done() const { return done_; }
    const Searching& search() const { return search_; }
    bool complete() const { return interrupted() == 0 && !backend_.gone(); }

    void print() const;

private:
    bool over() const { return interrupted() != 0 || (deadline_ && Clock::now() >= *deadline_); }
    /// A shrinking may end a little after the time is up.
    bool shrunk_enough() const {
        return interrupted() != 0 || (deadline_ && Clock::now() >= *deadline_ + std::chrono::seconds(5));
    }
    std::string path(std::size_t bucket) const {
        return settings_.folder + "/bucket-" + std::to_string(bucket + 1) + ".jsonl";
    }

    std::optional<Rejection> resume();
    Checked<Done> block(Index cases);
    void visit(const Judged& j, std::uint64_t index);
    std::optional<Rejection> save();
    void log(const std::string& line) {
        if (log_.is_open()) log_ << line << '\n' << std::flush;
    }
    void progress(bool now);

    Settings settings_;
    Backend& backend_;
    const std::unique_ptr<Backend> spare_;  ///< what is searched with, while the other goes on
    Searching search_;
    std::optional<Clock::time_point> deadline_;
    Done done_;
    Index here_ = 0, bad_here_ = 0;
    PairTable pairs_;
    std::ofstream log_;
    const bool terminal_ = isatty(STDERR_FILENO) == 1;
    Clock::time_point start_ = Clock::now(), told_ = start_, newest_ = start_;
};

/// Takes up the log and the buckets of the folder, if it has any of this very run.
std::optional<Rejection> Fuzzing::resume() {
    const std::string file = settings_.folder + "/fuzz.jsonl",
                      header = header_line(settings_.request, backend_.declaration());
    std::error_code error;
    std::filesystem::create_directories(settings_.folder, error);
    std::ifstream old(file);
    std::string line;
    const bool started = old && std::getline(old, line);
    if (started && line != header)
        return Rejection{"--report",
                         "'" + settings_.folder + "' holds a run of other cases or of another backend",
                         "name another folder, or repeat that run's options"};
    while (old && std::getline(old, line)) {
        const auto next = number_of(line, "next");
        if (!line.starts_with("{\"type\":\"block\"") || line.back() != '}' || !next) continue;
        done_.next = static_cast<std::uint64_t>(*next);
        for (std::size_t k = 0; k < outcome_names.size(); ++k)
            done_.by_outcome[k] += number_of(line, std::string(outcome_names[k])).value_or(0);
    }
    log_.open(file, std::ios::app);
    if (!log_) return Rejection{"--report", "'" + file + "' cannot be written", "name another folder"};
    if (!started) return log(header), std::nullopt;
    log("");  // after a line that was cut off
    for (std::size_t k = 0; std::filesystem::exists(path(k)); ++k) {
        const auto cases = read_case_file(path(k));
        if (!cases) return cases.rejection();
        const FiledCase& f = cases->front();
        const Index first = number_of(f.about, "first").value_or(0);
        if (!search_.restore(static_cast<std::uint64_t>(first), number_of(f.about, "cases").value_or(1), f.c))
            std::fprintf(stderr, "poolproof: %s fails no more\n", path(k).c_str());
    }
    return std::nullopt;
}

void Fuzzing::visit(const Judged& j, std::uint64_t index) {
    ++here_;
    pairs_.add(features(j.subject.c));
    if (j.verdict.outcome < Outcome::deviates) {
        if (j.verdict.outcome != Outcome::conforms || search_.buckets().empty()) return;
        if (const Expected* sets = j.expected()) search_.add_right(j.subject.c, *sets, j.observation);
        return;
    }
    ++bad_here_;
    if (!search_.add(index, j.subject.c, j.expected(), j.observation, j.verdict)) return;
    newest_ = Clock::now();
    const Bucket& b = search_.buckets().back();
    if (terminal_) std::fprintf(stderr, "\r\033[K");
    std::fprintf(stderr, "poolproof: new: %s\n", b.name().c_str());
    log("{\"type\":\"bucket\",\"first\":" + std::to_string(index) + ",\"bucket\":" + json_string(b.name()) +
        ",\"case\":" + write_case(search_.sent(search_.buckets().size() - 1)) + "}");
}

Checked<Done> Fuzzing::block(Index cases) {
    const auto generated = generated_cases(settings_.request, backend_.declaration(), done_.next,
                                           static_cast<std::uint64_t>(cases));
    if (!generated) return generated.rejection();
    Done r;
    r.next = done_.next;
    std::uint64_t number = done_.next;
    std::deque<std::uint64_t> waiting;  // numbers of the cases that are under way
    const Source counted = [&]() {
        auto s = (*generated)();
        if (s && covers(backend_.declaration(), s->c)) waiting.push_back(number);
        if (s) ++number;
        return s;
    };
    bool stopped = false;
    judge_all(backend_, counted, [&](const Judged& j) {
        const std::uint64_t index = waiting.front();
        waiting.pop_front();
        r.next = index + 1;
        ++r.by_outcome[static_cast<std::size_t>(j.verdict.outcome)];
        visit(j, index);
        progress(false);
        return !(stopped = over());
    });
    if (!stopped && waiting.empty()) r.next = number;
    return r;
}

/// A line on a terminal several times a second, elsewhere one every half a minute.
void Fuzzing::progress(bool now) {
    const auto time = Clock::now();
    if (!now && time - told_ < std::chrono::milliseconds(terminal_ ? 200 : 30'000)) return;
    told_ = time;
    const double seconds = std::chrono::duration<double>(time - start_).count();
    std::fprintf(
        stderr,
        "%spoolproof: %s: %lld cases, %.0f/s, %lld failures in %zu buckets, the last new one %.0f s ago, "
        "%zu pairs of features%s",
        terminal_ ? "\r" : "", backend_.declaration().name.c_str(), static_cast<long long>(here_),
        static_cast<double>(here_) / std::max(seconds, 1e-3), static_cast<long long>(bad_here_),
        search_.buckets().size(), std::chrono::duration<double>(time - newest_).count(), pairs_.count(),
        terminal_ && !now ? " \033[K" : "\n");
}

/// A case file for each bucket.
std::optional<Rejection> Fuzzing::save() {
    if (search_.buckets().empty()) return std::nullopt;
    std::error_code error;
    std::filesystem::create_directories(settings_.folder, error);
    for (std::size_t k = 0; k < search_.buckets().size(); ++k) {
        const Case c = search_.sent(k);
        const std::string text = about(search_.buckets()[k], backend_.declaration(), &settings_.request,
                                       backend_.gone() ? Observation{} : search_.answer(c));
        if (auto p = write_case_file(path(k), c, text)) return p;
    }
    return std::nullopt;
}

std::optional<Rejection> Fuzzing::run() {
    if (settings_.resumable)
        if (auto p = resume()) return p;
    const Index most =
        settings_.cases.value_or(settings_.duration ? std::numeric_limits<Index>::max() : enough_cases);
    while (!over() && !backend_.gone() && done_.cases() < most) {
        const std::uint64_t first = done_.next;
        const auto r = block(std::min(block_cases, most - done_.cases()));
        if (!r) return r.rejection();
        done_.next = r->next;
        for (std::size_t k = 0; k < done_.by_outcome.size(); ++k) done_.by_outcome[k] += r->by_outcome[k];
        if (auto p = save()) return p;
        log(block_line(first, *r));
        if (r->next == first) break;
    }
    log("{\"type\":\"footer\",\"complete\":" + std::string(complete() ? "true" : "false") + ",\"cases\":" +
        std::to_string(done_.cases()) + ",\"buckets\":" + std::to_string(search_.buckets().size()) + "}");
    progress(true);
    return std::nullopt;
}

void Fuzzing::print() const {
    for (std::size_t k = 0; k < search_.buckets().size(); ++k) {
        const Bucket& b = search_.buckets()[k];
        print_bucket(b, search_.sent(k), "case " + std::to_string(b.first));
        std::printf("  again      poolproof replay %s --backend '%s'\n\n", path(k).c_str(),
                    settings_.backend.c_str());
    }
    std::printf("%s: %lld of %lld judged cases fail, in %zu buckets; %lld cases in all, up to number %llu\n",
                done_.bad() > 0       ? "DEVIATES"
                : done_.judged() == 0 ? "NOTHING JUDGED"
                                      : "conforms",
                static_cast<long long>(done_.bad()), static_cast<long long>(done_.judged()),
                search_.buckets().size(), static_cast<long long>(done_.cases()),
                static_cast<unsigned long long>(done_.next));
}

Checked<Settings> read_settings(const Arguments& a) {
    Settings s;
    if (!a.positional.empty())
        return Rejection{a.positional.front(), "is not expected here", "name the backend with --backend"};
    if (auto p = read_request(a, s.request)) return *p;
    if (auto p = read_limits(a, s.limits)) return *p;
    s.backend = a.value("--backend").value_or("reference");
    if (const auto folder = a.value("--report")) {
        s.folder = *folder;
        s.resumable = true;
    }
    if (const auto text = a.value("--for")) {
        const auto time = duration(*text);
        if (!time) return time.rejection();
        s.duration = *time;
    }
    if (a.has("--cases"))
        if (auto p = read_count(a, s.cases.emplace())) return *p;
    return s;
}

}  // namespace

int run_fuzz(const Arguments& a) {
    const auto settings = read_settings(a);
    if (!settings) return refuse(settings.rejection());
    auto backend = find_backend(settings->backend, settings->limits);
    if (!backend) return refuse(backend.rejection());
    if (!judge_can_be_trusted()) return Exit::untrusted;
    watch_for_interrupts();
    if (const auto why = (*backend)->start()) return backend_trouble(*why);
    Fuzzing fuzzing(**backend, *settings);
    if (const auto p = fuzzing.run()) return refuse(*p);
    fuzzing.print();
    if (interrupted() != 0) return 128 + interrupted();
    if (!fuzzing.search().buckets().empty()) return Exit::deviates;
    if (const auto why = (*backend)->gone()) return backend_trouble("gave up: " + *why);
    return fuzzing.done().judged() > 0 ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli
