// SPDX-License-Identifier: Apache-2.0
#include "backends/child/child.hpp"
#include "backends/child/process.hpp"
#include "backends/faulty/run.hpp"
#include "backends/faulty/table.hpp"
#include "backends/reference/backend.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/text.hpp>

#include <algorithm>
#include <filesystem>

namespace poolproof {

namespace {

class InProcess final : public Backend {
public:
    InProcess(Declaration declaration, std::function<Observation(const Case&)> run) : run_(std::move(run)) {
        declaration_ = std::move(declaration);
    }
    void begin(std::span<const Case> cases) override { cases_ = cases; }
    std::vector<Observation> finish() override {
        std::vector<Observation> answers;
        answers.reserve(cases_.size());
        for (const Case& c : cases_) answers.push_back(run_(c));
        return answers;
    }

private:
    std::function<Observation(const Case&)> run_;
    std::span<const Case> cases_;
};

class Spare final : public Backend {
public:
    Spare(std::string name, const Limits& limits) : name_(std::move(name)), limits_(limits) {}

    void begin(std::span<const Case> cases) override {
        asked_ = cases.size();
        if (!backend_ || backend_->gone()) start_it();
        if (!why_not_) backend_->begin(cases);
    }
    std::vector<Observation> finish() override {
        if (!why_not_) return backend_->finish();
        if (limits_.stop && limits_.stop()) return {};
        Observation o;
        o.kind = Observation::Kind::broke;
        o.why = *why_not_;
        return std::vector<Observation>(asked_, o);
    }
    std::optional<std::string> gone() const override {
        return backend_ && !why_not_ ? backend_->gone() : why_not_;
    }

private:
    /// Another one where the last is gone, so that one question costs no other its answer.
    void start_it() {
        why_not_.reset();
        auto found = find_backend(name_, limits_);
        if (!found) {
            why_not_ = message(found.rejection());
            return;
        }
        backend_ = std::move(*found);
        why_not_ = backend_->start();
        declaration_ = backend_->declaration();
    }

    std::string name_;
    Limits limits_;
    std::unique_ptr<Backend> backend_;
    std::optional<std::string> why_not_;
    std::size_t asked_ = 0;
};

/// The name without the prefix, if it has it.
std::optional<std::string> after(const std::string& prefix, const std::string& name) {
    if (name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
    return name.substr(prefix.size());
}

/// A program of ours that stands beside this one.
std::string beside(const char* program) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return (self.parent_path() / program).string();
}

Checked<std::unique_ptr<Backend>> liar(const std::string& name) {
    const auto& all = faulty::faults();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const faulty::Fault& f) { return name == f.name; });
    if (found == all.end())
        return Rejection{"backend", "'faulty:" + name + "' is not known",
                         remedy(name, names_of(all), "'poolproof backends --faulty' lists those there are")};
    faulty::Rules rules;
    found->lie(rules);
    return in_process({"faulty:" + name, "1", found->profile, {}, true},
                      [rules = std::move(rules)](const Case& c) { return faulty::run(rules, c); });
}

}  // namespace

Observation Backend::run(const Case& c) {
    begin({&c, 1});
    auto answers = finish();
    if (!answers.empty()) return std::move(answers.front());
    Observation o;
    o.kind = Observation::Kind::declined;
    o.why = "interrupted";
    return o;
}

const std::vector<Liar>& liars() {
    static const std::vector<Liar> all = [] {
        std::vector<Liar> r;
        for (const faulty::Fault& f : faulty::faults()) r.push_back({f.name, f.vice, f.clause});
        return r;
    }();
    return all;
}

void adopt_orphans() { child::adopt_orphans(); }

std::unique_ptr<Backend> in_process(Declaration declaration, std::function<Observation(const Case&)> run) {
    return std::make_unique<InProcess>(std::move(declaration), std::move(run));
}

std::unique_ptr<Backend> spare_backend(std::string name, const Limits& limits) {
    return std::make_unique<Spare>(std::move(name), limits);
}

Checked<std::unique_ptr<Backend>> find_backend(const std::string& name, const Limits& limits) {
    if (name == "reference") return in_process({name, "1", "torchlean", {}, true}, backends::run_reference);
    if (const auto fault = after("faulty:", name)) return liar(*fault);
    if (const auto command = after("cmd:", name)) {
        auto words = child::words_of(*command);
        if (!words) return words.rejection();
        return child::backend(name, std::move(*words), limits);
    }
    const auto file = after("plugin:", name);
    if (file && file->empty()) return Rejection{"backend", "'plugin:' is empty", "write plugin:FILE"};
    if (file) return child::backend(name, {beside("poolproof-host"), "plugin", *file}, limits);
    if (name == "torch") {
        const std::string program = beside("poolproof-torch");
        if (std::filesystem::exists(program)) return child::backend(name, {program}, limits);
        return Rejection{"backend", "'torch' is not built", "see POOLPROOF_TORCH in docs/ADAPTERS.md"};
    }
    const std::string_view plain[] = {"reference", "torch"};
    const auto near = nearest(name, plain);
    return Rejection{"backend", "'" + name + "' is not known",
                     near ? "did you mean '" + std::string(*near) + "'?"
                          : "use reference, torch, plugin:FILE, cmd:COMMAND or faulty:NAME"};
}

}  // namespace poolproof
