// SPDX-License-Identifier: Apache-2.0
#include "backends/host/serve.hpp"

#include <poolproof/protocol.hpp>

#include <poll.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace poolproof::host {

namespace {

using protocol::Framing;
using protocol::Message;

constexpr std::size_t read_bytes = std::size_t{256} << 10;
constexpr std::size_t flushed_bytes = std::size_t{8}
                                      << 10;  // so that the other end reads while this computes

/// One direction each: requests in, replies out. Replies are written when there is nothing left to read.
class Pipe {
public:
    Pipe(int in, int out) : in_(in), out_(out) {}

    Framing framing = Framing::lines;

    std::optional<Message> next() {
        for (;;) {
            if (auto m = cut()) return m;
            if (!waiting()) flush();
            if (!fill()) return std::nullopt;
        }
    }

    void send(const Message& m) {
        if (framing == Framing::binary) {
            protocol::append_frame(to_send_, m);
        } else {
            to_send_ += m.head;
            to_send_ += '\n';
        }
        if (to_send_.size() > flushed_bytes) flush();
    }

    void flush() {
        for (std::size_t sent = 0; sent < to_send_.size();) {
            const ssize_t n = ::write(out_, to_send_.data() + sent, to_send_.size() - sent);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) std::exit(1);  // nobody listens any more
            sent += static_cast<std::size_t>(n);
        }
        to_send_.clear();
    }

private:
    bool waiting() const {
        pollfd p{in_, POLLIN, 0};
        return ::poll(&p, 1, 0) > 0;
    }

    bool fill() {
        came_.erase(0, used_);
        used_ = 0;
        const std::size_t before = came_.size();
        came_.resize(before + read_bytes);
        ssize_t n = 0;
        while ((n = ::read(in_, came_.data() + before, read_bytes)) < 0 && errno == EINTR) {}
        came_.resize(before + static_cast<std::size_t>(n > 0 ? n : 0));
        return n > 0;
    }

    std::optional<Message> cut() {
        const std::string_view rest = std::string_view(came_).substr(used_);
        if (framing == Framing::lines) {
            const std::size_t end = rest.find('\n');
            if (end == std::string_view::npos) return std::nullopt;
            used_ += end + 1;
            return Message{std::string(rest.substr(0, end)), {}};
        }
        if (rest.size() < protocol::frame_header_bytes) return std::nullopt;
        const auto header = protocol::read_frame_header(rest);
        if (!header) broken(message(header.rejection()));
        const auto head_bytes = static_cast<std::size_t>(header->head),
                   body_bytes = static_cast<std::size_t>(header->body);
        if (rest.size() - protocol::frame_header_bytes < head_bytes + body_bytes) return std::nullopt;
        const std::string_view head = rest.substr(protocol::frame_header_bytes, head_bytes);
        const std::string_view body = rest.substr(protocol::frame_header_bytes + head_bytes, body_bytes);
        if (!protocol::intact(*header, head, body)) broken("a frame whose checksum is wrong");
        used_ += protocol::frame_header_bytes + head_bytes + body_bytes;
        return Message{std::string(head), std::vector<std::uint8_t>(body.begin(), body.end())};
    }

    [[noreturn]] static void broken(const std::string& why) {
        std::fprintf(stderr, "host: malformed request: %s\n", why.c_str());
        std::exit(2);
    }

    int in_, out_;
    std::string came_, to_send_;
    std::size_t used_ = 0;
};

/// The descriptors for frames, where the runner passed a pair of them.
std::optional<std::pair<int, int>> frame_descriptors() {
    const char* text = std::getenv("POOLPROOF_FRAMES");
    int in = -1, out = -1;
    if (text == nullptr || std::sscanf(text, "%d,%d", &in, &out) != 2) return std::nullopt;
    return std::pair(in, out);
}

Observation because(Observation::Kind kind, std::string why) {
    Observation o;
    o.kind = kind;
    o.why = std::move(why);
    return o;
}

Observation answer(const Checked<Case>& c, const std::function<Observation(const Case&)>& run) {
    if (!c) return because(Observation::Kind::rejected, message(c.rejection()));
    try {
        return run(*c);
    } catch (const std::exception& e) { return because(Observation::Kind::failed, e.what()); }
}

}  // namespace

int serve(const Declaration& declaration, const std::function<Observation(const Case&)>& run,
          Replies replies) {
    const int out = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    Pipe lines(STDIN_FILENO, out);
    std::optional<Pipe> frames;
    for (;;) {
        Pipe& pipe = frames ? *frames : lines;
        const auto m = pipe.next();
        if (!m) {
            pipe.flush();
            return 0;
        }
        const auto request = protocol::read_request(*m);
        if (!request) {
            std::fprintf(stderr, "host: malformed request: %s\n", message(request.rejection()).c_str());
            return 2;
        }
        if (request->hello) {
            const auto descriptors = request->offers_binary ? frame_descriptors() : std::nullopt;
            pipe.send(
                {protocol::write_hello(declaration, descriptors ? Framing::binary : Framing::lines), {}});
            pipe.flush();
            if (descriptors)
                frames.emplace(descriptors->first, descriptors->second).framing = Framing::binary;
        } else {
            pipe.send(protocol::write_reply(request->id, answer(request->run, run), pipe.framing));
            if (replies == Replies::each) pipe.flush();
        }
    }
}

}  // namespace poolproof::host
