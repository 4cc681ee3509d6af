// SPDX-License-Identifier: Apache-2.0
// A child process in a group of its own: with a cleaned environment, no descriptor of ours but the ones it is
// given, and nothing of its group left when this object goes.
#pragma once

#include "backends/child/memory.hpp"

#include <poolproof/rejection.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace poolproof::child {

/// A descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();

    int get() const { return fd_; }
    void reset() { *this = Descriptor(); }

private:
    int fd_;
};

class Process {
public:
    /// Starts the command; a rejection says why it could not be.
    static Checked<Process> start(const std::vector<std::string>& command);

    Process(Process&& other) noexcept { *this = std::move(other); }
    Process& operator=(Process&& other) noexcept;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    /// Our ends, all of them non-blocking: its standard streams, and the pair for frames.
    Descriptor in, out, err, frames_in, frames_out;

    /// How it ended ("exited with 3", "was killed by signal 11 (Segmentation fault)"), once it has.
    std::optional<std::string> ended();
    /// The same, waiting for it a little.
    std::optional<std::string> ended_within(int milliseconds);

    /// The resident bytes of it and its descendants, if they are more than `limit`, else 0.
    std::uint64_t resident_beyond(std::uint64_t limit) const { return child::resident_beyond(limit, pid_); }

    /// Ends it and its group: its input is closed, and what is left after the grace is asked (SIGTERM), and
    /// soon after made (SIGKILL), to go.
    void stop(int grace_milliseconds);

private:
    Process() = default;

    pid_t pid_ = -1;
    std::optional<std::string> ended_;
};

/// From here on this program is the parent of all that its children leave behind, so that a process which
/// left its group is ended with them. For a program whose only children are backends.
void adopt_orphans();

/// The words of a command line as a shell would split them, without running anything.
Checked<std::vector<std::string>> words_of(const std::string& command);

}  // namespace poolproof::child
