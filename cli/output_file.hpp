// SPDX-License-Identifier: Apache-2.0
// A file that grows while a run goes on. A full disk is no reason to lose silently what was found.
#pragma once

#include <poolproof/rejection.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace poolproof::cli {

/// Every write reaches the system before the call returns. The first one that fails is remembered, with the
/// system's reason, and nothing is written after it.
class OutputFile {
public:
    enum class Begin { empty, at_the_end };

    /// A rejection under `option` if the file cannot be opened.
    static Checked<OutputFile> open(std::string option, std::string path, Begin begin = Begin::empty);

    void write(const std::string& text);

    /// What went wrong so far: the file and the reason.
    const std::optional<Rejection>& trouble() const { return trouble_; }

    /// Ends the file; what went wrong since it was opened.
    std::optional<Rejection> close();

private:
    OutputFile(std::string option, std::string path, std::FILE* file)
        : option_(std::move(option)), path_(std::move(path)), file_(file, std::fclose) {}
    void fail();

    std::string option_, path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::optional<Rejection> trouble_;
};

}  // namespace poolproof::cli
