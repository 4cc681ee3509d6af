// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <cerrno>
#include <cstring>

namespace poolproof::cli {

namespace {

Rejection cannot_be_written(const std::string& option, const std::string& path) {
    return {option, "'" + path + "' cannot be written: " + std::strerror(errno),
            "name a place that can, with room on the disk"};
}

}  // namespace

Checked<OutputFile> OutputFile::open(std::string option, std::string path, Begin begin) {
    std::FILE* file = std::fopen(path.c_str(), begin == Begin::empty ? "wb" : "ab");
    if (file == nullptr) return cannot_be_written(option, path);
    return OutputFile(std::move(option), std::move(path), file);
}

void OutputFile::fail() {
    if (!trouble_) trouble_ = cannot_be_written(option_, path_);
}

void OutputFile::write(const std::string& text) {
    if (trouble_) return;
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
        fail();
}

std::optional<Rejection> OutputFile::close() {
    if (file_ != nullptr && std::fclose(file_.release()) != 0) fail();
    return trouble_;
}

}  // namespace poolproof::cli
