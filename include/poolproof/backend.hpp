// SPDX-License-Identifier: Apache-2.0
// An implementation under test, as the harness sees it: cases in, observations out.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>
#include <poolproof/rejection.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

/// What an implementation says it can do. What is absent is everything.
struct Capability {
    std::optional<std::vector<Op>> ops;
    std::optional<std::vector<Mode>> modes;
    std::optional<std::vector<Format>> formats;
    std::optional<std::vector<Index>> spatial_ranks, leading_axes;
    std::optional<std::vector<std::string>> attrs;  ///< those it understands beside sizes, strides and pads
    std::optional<std::vector<Memory>> memory;
    std::optional<Index> max_elements, max_kernel;  ///< of the input; taps of one window
    bool rejects = false;                           ///< what must be rejected is, and may be sent
    Choices policy;                                 ///< where it differs from its profile
};

/// The names that `Capability::attrs` may hold.
inline constexpr std::array<std::string_view, 10> capability_attrs{
    "dilation",         "ceil_mode", "asymmetric_padding", "auto_pad",       "count_include_pad",
    "divisor_override", "beta",      "keepdims",           "return_indices", "index_form"};

/// What an implementation says of itself.
struct Declaration {
    std::string name, version;
    std::string profile = "torchlean";
    std::vector<Capability> capabilities;  ///< none: everything, and it may decline
    bool rejects = false;                  ///< where no capability says so
    std::vector<Rejection> unknown{};      ///< names of its greeting that were passed over, and its warnings
};

/// Whether one of the declared capabilities covers a case: all its nodes, in all they use.
bool covers(const Capability& capability, const Case& c);
bool covers(const Declaration& declaration, const Case& c);

/// Whether it is declared that invalid arguments are rejected: at all, and of what such a case is about.
bool rejects(const Declaration& declaration);
bool rejects(const Declaration& declaration, const Case& c);

/// What a backend in a process of its own is allowed. Zero means: calibrated, or no limit.
struct Limits {
    std::chrono::milliseconds deadline{0};     ///< of one case; calibrated from its own speed
    std::chrono::milliseconds start{180'000};  ///< from its start to its `hello`
    std::uint64_t memory = 0;                  ///< resident bytes, with all that it starts
    Index restarts = 10'000;
    Index first_ends = 0;  ///< how often it may end before its first answer
    bool frames = true;    ///< whether the binary framing is offered
    /// Asked several times a second while a process is waited for: whether to wait no longer. The backend is
    /// gone then.
    std::function<bool()> stop{};
};

class Backend {
public:
    virtual ~Backend() = default;

    /// Brings it up; why it did not come, if so. To be called once, before anything else.
    virtual std::optional<std::string> start() { return std::nullopt; }

    const Declaration& declaration() const { return declaration_; }

    /// Hands over cases, which must outlive `finish`; it may work on them at once.
    virtual void begin(std::span<const Case> cases) = 0;
    /// The answers to them, in their order; those that came so far if `Limits::stop` ended the waiting.
    virtual std::vector<Observation> finish() = 0;

    /// Why nothing more can be asked of it, once that is so; all further answers are `broke`, and not
    /// `asked`.
    virtual std::optional<std::string> gone() const { return std::nullopt; }

    /// The answer to one case; `declined` where the waiting was ended.
    Observation run(const Case& c);

protected:
    Declaration declaration_;
};

/// For a program whose only children are backends: makes it the parent of what those leave behind, so that
/// nothing of them outlives it.
void adopt_orphans();

/// A function in this process as a backend.
std::unique_ptr<Backend> in_process(Declaration declaration, std::function<Observation(const Case&)> run);

/// A backend by the name that `--backend` takes: `reference`, `torch`, `plugin:FILE`, `cmd:COMMAND` or
/// `faulty:NAME`. The rejection names those there are.
Checked<std::unique_ptr<Backend>> find_backend(const std::string& name, const Limits& limits = {});

/// Another of that name, which is started when it is first asked; what it does not answer is `broke`. For
/// questions between those that the first has still to answer. Requires a name that `find_backend` knows.
std::unique_ptr<Backend> spare_backend(std::string name, const Limits& limits = {});

/// One deliberate liar: its name, its vice in one sentence, and the clause that must catch it.
struct Liar {
    std::string name, vice, clause;
};

const std::vector<Liar>& liars();

}  // namespace poolproof
