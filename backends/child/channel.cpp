// SPDX-License-Identifier: Apache-2.0
#include "backends/child/channel.hpp"

#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace poolproof::child {

namespace {

constexpr std::chrono::milliseconds memory_pause{50};
constexpr std::size_t kept_talk = std::size_t{64} << 10;
constexpr std::size_t read_bytes = std::size_t{256} << 10;
constexpr std::size_t pushed_bytes = std::size_t{16} << 10;  // so that the other end begins early

/// Reads what is there, at most `read_bytes`; whether the other end is closed.
bool read_some(const Descriptor& from, std::string& to) {
    static std::vector<char> buffer(read_bytes);
    if (from.get() < 0) return true;
    const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
    if (n > 0) to.append(buffer.data(), static_cast<std::size_t>(n));
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

void keep_the_end(std::string& text) {
    if (text.size() > 2 * kept_talk) text.erase(0, text.size() - kept_talk);
}

Rejection broken(const char* kind, std::string what) { return {kind, std::move(what), ""}; }

}  // namespace

void Channel::send(const protocol::Message& m) {
    if (framing_ == protocol::Framing::binary) {
        protocol::append_frame(to_send_, m, checksum_);
    } else {
        to_send_ += m.head;
        to_send_ += '\n';
    }
    if (to_send_.size() - sent_ > pushed_bytes) push();
}

void Channel::push() {
    const int fd = (framing_ == protocol::Framing::binary ? process_.frames_in : process_.in).get();
    while (sent_ < to_send_.size()) {
        const ssize_t n = ::write(fd, to_send_.data() + sent_, to_send_.size() - sent_);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN) sent_ = to_send_.size();  // it is gone, which reading will tell
        if (n < 0) break;
        sent_ += static_cast<std::size_t>(n);
    }
    if (sent_ == to_send_.size()) {
        to_send_.clear();
        sent_ = 0;
    }
}

void Channel::listen() {
    if (read_some(process_.err, talk_)) process_.err.reset();
    if (framing_ == protocol::Framing::binary) {
        if (read_some(process_.out, talk_)) process_.out.reset();
        if (read_some(process_.frames_out, came_)) process_.frames_out.reset();
    } else if (read_some(process_.out, came_)) {
        process_.out.reset();
    }
    keep_the_end(talk_);
}

void Channel::wait(int milliseconds) {
    std::array<pollfd, 4> fds{};
    std::size_t n = 0;
    const auto add = [&](const Descriptor& d, short events) {
        if (d.get() >= 0) fds[n++] = {d.get(), events, 0};
    };
    const bool frames = framing_ == protocol::Framing::binary;
    add(process_.out, POLLIN);
    add(process_.err, POLLIN);
    if (frames) add(process_.frames_out, POLLIN);
    if (sent_ < to_send_.size()) add(frames ? process_.frames_in : process_.in, POLLOUT);
    ::poll(fds.data(), n, milliseconds);
}

std::optional<Checked<protocol::Message>> Channel::cut(std::uint64_t limit) {
    const std::string_view rest = std::string_view(came_).substr(used_);
    const auto take = [&](std::size_t bytes) {
        used_ += bytes;
        searched_ = 0;
        if (used_ == came_.size() || used_ > read_bytes) {
            came_.erase(0, used_);
            used_ = 0;
        }
    };
    if (framing_ == protocol::Framing::lines) {
        const std::size_t end = rest.find('\n', searched_);
        if (end == std::string_view::npos) {
            searched_ = rest.size();
            if (rest.size() > limit)
                return broken("malformed", "a line of more than " + std::to_string(limit) + " bytes");
            return std::nullopt;
        }
        protocol::Message m{std::string(rest.substr(0, end)), {}};
        take(end + 1);
        return m;
    }
    if (rest.size() < protocol::frame_header_bytes) return std::nullopt;
    const auto header = protocol::read_frame_header(rest);
    if (!header) return broken("malformed", message(header.rejection()));
    if (header->head + header->body > limit)
        return broken("malformed", "a frame of " + std::to_string(header->head + header->body) +
                                       " bytes, where at most " + std::to_string(limit) + " were expected");
    const auto head_bytes = static_cast<std::size_t>(header->head),
               body_bytes = static_cast<std::size_t>(header->body);
    if (rest.size() - protocol::frame_header_bytes < head_bytes + body_bytes) return std::nullopt;
    const std::string_view head = rest.substr(protocol::frame_header_bytes, head_bytes);
    const std::string_view body = rest.substr(protocol::frame_header_bytes + head_bytes, body_bytes);
    if (!protocol::intact(*header, head, body)) return broken("malformed", "a frame whose checksum is wrong");
    protocol::Message m{std::string(head), std::vector<std::uint8_t>(body.begin(), body.end())};
    take(protocol::frame_header_bytes + head_bytes + body_bytes);
    return m;
}

Checked<protocol::Message> Channel::receive(Clock::time_point deadline, std::uint64_t bytes,
                                            const Limits& limits) {
    for (;;) {
        if (auto m = cut(bytes)) return std::move(*m);
        push();
        const Descriptor& from = framing_ == protocol::Framing::binary ? process_.frames_out : process_.out;
        const bool closed = from.get() < 0;
        const auto end = process_.ended();
        if (closed || end) {
            // What it wrote before it ended is still in the pipes.
            for (std::size_t before = SIZE_MAX; from.get() >= 0 && came_.size() + talk_.size() != before;) {
                before = came_.size() + talk_.size();
                listen();
            }
            if (auto m = cut(bytes)) return std::move(*m);
            const auto how = process_.ended_within(1000);
            const bool partial = came_.size() > used_;
            return broken("ended", how.value_or("closed its output and did not end") +
                                       (partial ? " in the middle of a message" : ""));
        }
        const auto now = Clock::now();
        if (limits.stop && limits.stop()) return broken("interrupted", "the waiting was ended");
        if (now >= deadline) return broken("timeout", "no answer within the deadline");
        if (limits.memory > 0 && now - looked_at_memory_ > memory_pause) {
            looked_at_memory_ = now;
            if (const auto used = process_.resident_beyond(limits.memory); used > 0)
                return broken("memory", "used " + std::to_string(used) + " bytes of memory, more than the " +
                                            std::to_string(limits.memory) + " allowed");
        }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now).count() + 1;
        wait(static_cast<int>(std::min<long long>(left, 50)));
        listen();
    }
}

}  // namespace poolproof::child
