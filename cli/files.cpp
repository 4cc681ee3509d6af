// SPDX-License-Identifier: Apache-2.0
#include "cli/files.hpp"

#include "cli/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace poolproof::cli {

std::optional<std::string> file_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path)) return std::nullopt;
    std::stringstream all;
    all << in.rdbuf();
    if (in.bad()) return std::nullopt;
    return all.str();
}

std::optional<Rejection> write_file(const char* option, const std::string& path, const std::string& bytes) {
    std::error_code error;
    // A pipe or a device is written as it is: nothing may take its place.
    const bool replaced =
        std::filesystem::is_regular_file(path, error) || !std::filesystem::exists(path, error);
    const std::string first = replaced ? path + ".unfinished" : path;
    auto file = OutputFile::open(option, first);
    if (!file) return file.rejection();
    file->write(bytes);
    auto trouble = file->close();
    if (!replaced) return trouble;
    if (!trouble) std::filesystem::rename(first, path, error);
    if (!trouble && !error) return std::nullopt;
    const std::string why =
        trouble ? trouble->reason : "'" + path + "' cannot be written: " + error.message();
    std::filesystem::remove(first, error);
    return Rejection{option, why, "name a place that can, with room on the disk"};
}

std::optional<Rejection> make_folder(const char* option, const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (!error) return std::nullopt;
    return Rejection{option, "'" + path + "' cannot be made: " + error.message(), "name another folder"};
}

std::string numbered(const std::string& folder, std::size_t line, const std::string& name) {
    char number[24];
    std::snprintf(number, sizeof number, "%06zu", line);
    return folder + "/" + number + "." + name + ".npy";
}

}  // namespace poolproof::cli
