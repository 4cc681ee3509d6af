// SPDX-License-Identifier: Apache-2.0
// Messages to and from a child: what is to be sent waits until it is taken, what comes is cut into messages,
// and what the child says elsewhere is kept for the report, up to a limit.
#pragma once

#include "backends/child/process.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/protocol.hpp>

#include <chrono>

namespace poolproof::child {

using Clock = std::chrono::steady_clock;

class Channel {
public:
    explicit Channel(Process process) : process_(std::move(process)) {}

    /// From here on messages travel as frames, ours with this checksum.
    void use_frames(protocol::Checksum checksum) {
        framing_ = protocol::Framing::binary;
        checksum_ = checksum;
    }
    protocol::Framing framing() const { return framing_; }

    void send(const protocol::Message& m);

    /// Sends what the child takes without waiting for it.
    void push();

    /// The next message; else why there is none: it ended, was too slow, took too much memory, sent what is
    /// no message, or the waiting was stopped. No message may be longer than `bytes`.
    Checked<protocol::Message> receive(Clock::time_point deadline, std::uint64_t bytes, const Limits& limits);

    /// The end of what it wrote on standard error, and on standard output beside its messages.
    const std::string& talk() const { return talk_; }

    Process& process() { return process_; }

private:
    std::optional<Checked<protocol::Message>> cut(std::uint64_t limit);
    void wait(int milliseconds);
    void listen();

    Process process_;
    protocol::Framing framing_ = protocol::Framing::lines;
    protocol::Checksum checksum_ = protocol::Checksum::crc32c;
    std::string to_send_;
    std::size_t sent_ = 0;
    std::string came_;
    std::size_t used_ = 0, searched_ = 0;
    std::string talk_;
    Clock::time_point looked_at_memory_;
};

}  // namespace poolproof::child
