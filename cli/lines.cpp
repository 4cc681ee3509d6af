// SPDX-License-Identifier: Apache-2.0
#include "cli/lines.hpp"

namespace poolproof::cli {

bool Lines::read(Line& line) {
    line.text.clear();
    line.too_long = false;
    bool any = false;
    while (true) {
        if (at_ == buffer_.size()) {
            buffer_.resize(std::size_t{1} << 16);
            buffer_.resize(std::fread(buffer_.data(), 1, buffer_.size(), file_));
            at_ = 0;
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
