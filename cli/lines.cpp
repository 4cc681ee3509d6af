// SPDX-License-Identifier: Apache-2.0
#include "cli/lines.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace poolproof::cli {

/// Takes what there is: a line is answered before the next one is sent, so waiting for more would wait for
/// ever.
void Lines::fill() {
    buffer_.resize(std::size_t{1} << 16);
    ssize_t got = -1;
    do { got = ::read(fileno(file_), buffer_.data(), buffer_.size()); } while (got < 0 && errno == EINTR);
    if (got < 0) error_ = errno;
    buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    at_ = 0;
}

bool Lines::read(Line& line) {
    line.text.clear();
    line.too_long = false;
    bool any = false;
    while (true) {
        if (at_ == buffer_.size()) {
            fill();
            if (buffer_.empty()) return any;
        }
        any = true;
        const std::size_t end = buffer_.find('\n', at_);
        const std::size_t stop = end == std::string::npos ? buffer_.size() : end;
        if (line.text.size() + (stop - at_) > max_line_bytes) {
            line.too_long = true;
            line.text.clear();
            line.text.shrink_to_fit();
        }
        if (!line.too_long) line.text.append(buffer_, at_, stop - at_);
        at_ = end == std::string::npos ? stop : stop + 1;
        if (end != std::string::npos) return true;
    }
}

std::optional<Rejection> Lines::unread(const std::string& name) const {
    if (error_ == 0) return std::nullopt;
    return Rejection{name, std::string("cannot be read: ") + std::strerror(error_),
                     "name a file that can, or send its lines"};
}

std::optional<Lines::Line> Lines::next() {
    Line line;
    while (read(line)) {
        line.number = ++number_;
        if (blank_ == Blank::kept || line.too_long ||
            line.text.find_first_not_of(" \t\r") != std::string::npos)
            return line;
    }
    return std::nullopt;
}

}  // namespace poolproof::cli
