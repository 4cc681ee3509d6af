// SPDX-License-Identifier: Apache-2.0
// What the program writes. Output that is lost, as on a full disk, is named on standard error as soon as it
// is known, and must not pass for success: every file is checked to its end, and standard output at the end
// of the program.
#pragma once

#include <poolproof/rejection.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace poolproof::cli {

/// A file that is written bit by bit, and checked when it is closed.
class OutputFile {
public:
    enum class Mode { anew, append };

    /// A rejection under `option` if it cannot be opened.
    static Checked<OutputFile> open(const char* option, const std::string& path, Mode mode = Mode::anew);

    void write(const std::string& text);
    void flush();

private:
    struct Close {
        std::string path;
        void operator()(std::FILE* f) const;
    };

    explicit OutputFile(std::unique_ptr<std::FILE, Close> file) : file_(std::move(file)) {}

    std::unique_ptr<std::FILE, Close> file_;
};

/// One line on standard output, at once: whoever asks a line at a time waits for it.
void print_line(const std::string& text);

/// Keeps the numbers of standard streams that are closed from files that are opened later. To be called
/// before any is.
void hold_standard_streams();

/// Closes standard output. The exit code of the program: that of its command, but not success where output
/// was lost.
int with_outputs_checked(int code);

}  // namespace poolproof::cli
