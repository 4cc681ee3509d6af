// SPDX-License-Identifier: Apache-2.0
// `poolproof fuzz`: generated cases without end, failures shrunk and sorted. With --report a run goes on
// where the last one stopped: its log holds the blocks that are done, and each bucket has a case file.
#include "cli/command.hpp"
#include "cli/features.hpp"
#include "cli/files.hpp"
#include "cli/fuzz_log.hpp"
#include "cli/interrupt.hpp"
#include "cli/judging.hpp"
#include "cli/law_search.hpp"
#include "cli/limits.hpp"
#include "cli/output_file.hpp"
#include "cli/report_folder.hpp"
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
constexpr Index cases_per_question = 16;
constexpr const char* default_folder = "poolproof-fuzz";

struct Settings {
    Request request;
    Limits limits;
    std::string backend, folder = default_folder;
    bool resumable = false, laws = false;
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

class Fuzzing {
public:
    Fuzzing(Backend& backend, Settings s)
        : settings_(std::move(s)),
          backend_(backend),
          spare_(spare_backend(settings_.backend, settings_.limits)),
          search_(*spare_, {.stop = [this] { return shrunk_enough(); }}),
          laws_(backend, [this](std::uint64_t number, const Case& c) { return fails_alone(number, c); }) {
        if (!settings_.request.profile) settings_.request.profile = backend.declaration().profile;
        if (settings_.duration) deadline_ = Clock::now() + *settings_.duration;
    }

    std::optional<Rejection> run();
    /// What could not be written; it ends the run, and what was found until then is still to be printed.
    const std::optional<Rejection>& lost() const { return lost_; }
    const Done& done() const { return done_; }
    /// Whether it is gone, and all that it was asked broke: then it is the backend that is in trouble, and no
    /// case.
    bool never_answered() const {
        return backend_.gone() && done_.bad() > 0 && done_.count(Outcome::broke) == done_.cases();
    }
    bool failed() const { return !search_.buckets().empty() || !laws_.buckets().empty(); }
    const LawSearch& laws() const { return laws_; }
    bool complete() const { return interrupted() == 0 && !backend_.gone(); }

    void print() const;

private:
    bool over() const { return interrupted() != 0 || (deadline_ && Clock::now() >= *deadline_); }
    /// A shrinking may end a little after the time is up.
    bool shrunk_enough() const {
        return interrupted() != 0 || (deadline_ && Clock::now() >= *deadline_ + std::chrono::seconds(5));
    }
    std::string path(std::size_t bucket) const { return bucket_file(settings_.folder, bucket); }
    std::string header() const {
        return header_line(settings_.request, settings_.laws, backend_.declaration());
    }

    std::optional<Rejection> begin_anew();
    std::optional<Rejection> resume();
    std::optional<Rejection> open_log(OutputFile::Begin begin);
    Checked<Done> block(Index cases);
    void visit(const Judged& j, std::uint64_t index);
    void sort(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
              const Verdict& v);
    void tell_new(const std::string& name, const std::string& line);
    void tell_renamed();
    std::optional<Rejection> ask_laws(std::uint64_t first, Done& block);
    bool fails_alone(std::uint64_t number, const Case& c);
    std::optional<Rejection> save();
    void log(const std::string& line) {
        if (!log_) return static_cast<void>(unwritten_ += line + '\n');
        log_->write(line + '\n');
        if (!lost_) lost_ = log_->trouble();
    }
    void progress(bool now);

    Settings settings_;
    Backend& backend_;
    const std::unique_ptr<Backend> spare_;  ///< what is searched with, while the other goes on
    Searching search_;
    LawSearch laws_;
    std::optional<Clock::time_point> deadline_;
    Done done_;
    Index here_ = 0, bad_here_ = 0;
    PairTable pairs_;
    std::size_t valid_pairs_ = 0;
    std::optional<OutputFile> log_;
    std::vector<std::string> names_;  ///< of the buckets, as they were told last
    std::string unwritten_;           ///< of the log, until there is a file
    std::optional<Rejection> lost_;
    const bool terminal_ = isatty(STDERR_FILENO) == 1;
    Clock::time_point start_ = Clock::now(), told_ = start_, newest_ = start_;
};

/// Nobody named the folder: it is the first of its kind that holds nothing but this very run, and is made
/// when there is something to put into it.
std::optional<Rejection> Fuzzing::begin_anew() {
    const auto taken = [&] {
        const auto old = header_of(settings_.folder, fuzz_log);
        return foreign_report(settings_.folder, fuzz_log) || (old && *old != header());
    };
    for (int k = 2; taken(); ++k) settings_.folder = default_folder + ("-" + std::to_string(k));
    remove_buckets(settings_.folder);
    std::error_code error;
    std::filesystem::remove(settings_.folder + "/" + fuzz_log, error);
    log(header());
    return std::nullopt;
}

std::optional<Rejection> Fuzzing::open_log(OutputFile::Begin begin) {
    if (auto p = make_folder("--report", settings_.folder)) return p;
    auto file = OutputFile::open("--report", settings_.folder + "/" + fuzz_log, begin);
    if (!file) return file.rejection();
    log_ = std::move(*file);
    log_->write(unwritten_);
    return log_->trouble();
}

/// Takes up the log and the buckets of the folder, if it has any of this very run.
std::optional<Rejection> Fuzzing::resume() {
    if (auto p = foreign_report(settings_.folder, fuzz_log)) return p;
    std::ifstream old(settings_.folder + "/" + fuzz_log);
    std::string line;
    const bool started = old && std::getline(old, line);
    if (started && line != header()) return other_run(settings_.folder, line);
    std::vector<std::uint64_t> questions;
    while (old && std::getline(old, line)) {
        if (line.starts_with("{\"type\":\"law\""))
            questions.push_back(static_cast<std::uint64_t>(number_of(line, "first").value_or(0)));
        const auto next = number_of(line, "next");
        if (!line.starts_with("{\"type\":\"block\"") || line.back() != '}' || !next) continue;
        done_.next = static_cast<std::uint64_t>(*next);
        done_.questions += number_of(line, "questions").value_or(0);
        for (std::size_t k = 0; k < outcome_names.size(); ++k)
            done_.by_outcome[k] += number_of(line, std::string(outcome_names[k])).value_or(0);
    }
    if (auto p = open_log(OutputFile::Begin::at_the_end)) return p;
    if (!started) return log(header()), std::nullopt;
    log("");  // after a line that was cut off
    for (std::size_t k = 0; std::filesystem::exists(path(k)); ++k) {
        const auto cases = read_case_file(path(k));
        if (!cases) return cases.rejection();
        const FiledCase& f = cases->front();
        const Index first = number_of(f.about, "first").value_or(0);
        if (!search_.restore(static_cast<std::uint64_t>(first), number_of(f.about, "cases").value_or(1), f.c))
            std::fprintf(stderr, "poolproof: %s fails no more\n", path(k).c_str());
    }
    for (const std::uint64_t number : questions)
        if (const auto asked = laws_.ask(settings_.request, number, 1, [] { return false; }); !asked)
            return asked.rejection();
    return std::nullopt;
}

void Fuzzing::visit(const Judged& j, std::uint64_t index) {
    ++here_;
    pairs_.add(features(j.subject.c));
    if (j.verdict.outcome < Outcome::deviates) {
        if (j.verdict.outcome == Outcome::conforms) search_.add_right(j.subject.c, j.expected, j.observation);
        return;
    }
    sort(index, j.subject.c, j.expected(), j.observation, j.verdict);
}

void Fuzzing::sort(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
                   const Verdict& v) {
    ++bad_here_;
    if (backend_.gone()) return;  // another of it would fare no better
    if (!search_.add(index, c, expected, o, v)) return;
    const Bucket& b = search_.buckets().back();
    names_.resize(search_.buckets().size());
    names_.back() = b.name();
    tell_new(b.name(), "{\"type\":\"bucket\",\"first\":" + std::to_string(index) +
                           ",\"bucket\":" + json_string(b.name()) +
                           ",\"case\":" + write_case(search_.sent(search_.buckets().size() - 1)) + "}");
}

void Fuzzing::tell_new(const std::string& name, const std::string& line) {
    newest_ = Clock::now();
    if (terminal_) std::fprintf(stderr, "\r\033[K");
    std::fprintf(stderr, "poolproof: new: %s\n", name.c_str());
    log(line);
}

/// More failures may show that a bucket is like another fault than the one it was told under.
void Fuzzing::tell_renamed() {
    names_.resize(search_.buckets().size());
    for (std::size_t k = 0; k < names_.size(); ++k) {
        const std::string now = search_.buckets()[k].name();
        if (!names_[k].empty() && names_[k] != now)
            std::fprintf(stderr, "%spoolproof: bucket %zu, %s, is %s by now\n", terminal_ ? "\r\033[K" : "",
                         k + 1, names_[k].c_str(), now.c_str());
        names_[k] = now;
    }
}

bool Fuzzing::fails_alone(std::uint64_t number, const Case& c) {
    const Expected expected = expect(*plan(c), c);
    const Observation o = search_.answer(c);
    const Verdict v = judge(expected, o);
    if (v.outcome < Outcome::deviates) return false;
    sort(number, c, &expected, o, v);
    return true;
}

/// Questions made of a block's own cases.
std::optional<Rejection> Fuzzing::ask_laws(std::uint64_t first, Done& block) {
    const std::size_t before = laws_.buckets().size();
    const Index count = (block.cases() + cases_per_question - 1) / cases_per_question;
    const auto asked = laws_.ask(settings_.request, first, count, [this] { return over(); });
    if (!asked) return asked.rejection();
    block.questions = *asked;
    for (std::size_t k = before; k < laws_.buckets().size(); ++k) {
        const LawBucket& b = laws_.buckets()[k];
        tell_new(b.name(), "{\"type\":\"law\",\"first\":" + std::to_string(b.first) +
                               ",\"bucket\":" + json_string(b.name()) + "}");
    }
    return std::nullopt;
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
        "%zu of %zu valid pairs of features met%s",
        terminal_ ? "\r" : "", backend_.declaration().name.c_str(), static_cast<long long>(here_),
        static_cast<double>(here_) / std::max(seconds, 1e-3), static_cast<long long>(bad_here_),
        search_.buckets().size(), std::chrono::duration<double>(time - newest_).count(), pairs_.count(),
        valid_pairs_, terminal_ && !now ? " \033[K" : "\n");
}

/// A case file for each bucket, and no other: buckets of an earlier part of the run may have become one.
std::optional<Rejection> Fuzzing::save() {
    if (search_.buckets().empty()) return std::nullopt;
    if (!log_)
        if (auto p = open_log(OutputFile::Begin::empty)) return p;
    for (std::size_t k = 0; k < search_.buckets().size(); ++k) {
        const Case c = search_.sent(k);
        const std::string text = about(search_.buckets()[k], backend_.declaration(),
                                       Origin{static_cast<Index>(settings_.request.seed)});
        if (auto p = write_case_file(path(k), c, text)) return p;
    }
    std::error_code error;
    for (std::size_t k = search_.buckets().size(); std::filesystem::remove(path(k), error);) ++k;
    return std::nullopt;
}

std::optional<Rejection> Fuzzing::run() {
    const auto valid = valid_pairs(settings_.request, backend_.declaration());
    if (!valid) return valid.rejection();
    valid_pairs_ = *valid;
    if (auto p = settings_.resumable ? resume() : begin_anew()) return p;
    const Index most =
        settings_.cases.value_or(settings_.duration ? std::numeric_limits<Index>::max() : enough_cases);
    while (!over() && !lost_ && !backend_.gone() && done_.cases() < most) {
        const std::uint64_t first = done_.next;
        auto r = block(std::min(block_cases, most - done_.cases()));
        if (!r) return r.rejection();
        if (settings_.laws && !over() && !backend_.gone())
            if (auto p = ask_laws(first, *r)) return p;
        done_.next = r->next;
        for (std::size_t k = 0; k < done_.by_outcome.size(); ++k) done_.by_outcome[k] += r->by_outcome[k];
        done_.questions += r->questions;
        tell_renamed();
        if (!lost_) lost_ = save();
        log(block_line(first, *r));
        if (r->cases() == 0) break;  // nothing is covered, nor will be
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
        if (!lost_ && b.reproduced)
            std::printf("  again      poolproof replay %s --backend '%s'\n", path(k).c_str(),
                        settings_.backend.c_str());
        std::printf("\n");
    }
    for (std::size_t k = 0; k < laws_.buckets().size(); ++k) {
        const LawBucket& b = laws_.buckets()[k];
        std::printf("%s\n  questions  %lld\n%s", b.name().c_str(), static_cast<long long>(b.questions),
                    laws_.text(k).c_str());
        std::printf("  again      poolproof laws --backend '%s'%s --first %llu --cases 1\n\n",
                    settings_.backend.c_str(), options_of(settings_.request).c_str(),
                    static_cast<unsigned long long>(b.first));
    }
    if (settings_.laws)
        std::printf("laws: %lld questions, %zu kinds of failures\n", static_cast<long long>(done_.questions),
                    laws_.buckets().size());
    std::printf("%s: %lld of %lld judged cases fail, in %zu buckets; %lld cases in all, up to number %llu\n",
                never_answered()              ? "NOTHING ANSWERED"
                : failed() || done_.bad() > 0 ? "DEVIATES"
                : done_.judged() == 0         ? "NOTHING JUDGED"
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
    s.laws = a.has("--laws");
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
    auto settings = read_settings(a);
    if (!settings) return refuse(settings.rejection());
    if (a.has("--features")) {
        if (!settings->request.profile) settings->request.profile = Declaration{}.profile;
        if (const auto p = print_features(settings->request)) return refuse(*p);
        return Exit::ok;
    }
    Limits limits = settings->limits;
    limits.first_ends = enough_first_ends;
    auto backend = find_backend(settings->backend, limits);
    if (!backend) return refuse(backend.rejection());
    if (!judge_can_be_trusted()) return Exit::untrusted;
    watch_for_interrupts();
    if (const auto why = started(**backend)) return backend_trouble(*why);
    Fuzzing fuzzing(**backend, *settings);
    if (const auto p = fuzzing.run()) return refuse(*p);
    fuzzing.print();
    if (fuzzing.lost()) return refuse(*fuzzing.lost());
    if (interrupted() != 0) return 128 + interrupted();
    if (fuzzing.laws().unmet() > 0) {
        std::fprintf(stderr,
                     "poolproof: not to be trusted: %lld questions whose permitted sets do not meet\n",
                     static_cast<long long>(fuzzing.laws().unmet()));
        return Exit::untrusted;
    }
    if ((fuzzing.failed() || fuzzing.done().bad() > 0) && !fuzzing.never_answered()) return Exit::deviates;
    if (const auto why = (*backend)->gone()) return backend_trouble("gave up: " + *why);
    return fuzzing.done().judged() > 0 ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli
