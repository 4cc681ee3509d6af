// SPDX-License-Identifier: Apache-2.0
// Lines of standard input or a file, one at a time in bounded memory.
#pragma once

#include <poolproof/rejection.hpp>

#include <cstdio>
#include <optional>
#include <string>

namespace poolproof::cli {

inline constexpr std::size_t max_line_bytes = std::size_t{1} << 30;

class Lines {
public:
    enum class Blank { skipped, kept };

    explicit Lines(std::FILE* file, Blank blank = Blank::skipped) : file_(file), blank_(blank) {}

    struct Line {
        std::string text;
        std::size_t number = 0;
        bool too_long = false;  ///< over `max_line_bytes`; its text was passed over
    };

    /// The next line without its newline; nothing at the end, or where no more can be read.
    std::optional<Line> next();

    /// Why not all of `name` was read, if so; to be asked at the end.
    std::optional<Rejection> unread(const std::string& name) const;

private:
    bool read(Line& line);
    void fill();

    std::FILE* file_;
    Blank blank_;
    std::size_t number_ = 0;
    std::string buffer_;
    std::size_t at_ = 0;
    int error_ = 0;
};

}  // namespace poolproof::cli
