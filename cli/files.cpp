// SPDX-License-Identifier: Apache-2.0
#include "cli/files.hpp"

#include <cstdio>
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
    const std::string unfinished = path + ".unfinished";
    std::ofstream out(unfinished, std::ios::binary);
    out << bytes;
    out.close();
    std::error_code error;
    if (out) std::filesystem::rename(unfinished, path, error);
    if (out && !error) return std::nullopt;
    std::filesystem::remove(unfinished, error);
    return Rejection{option, "'" + path + "' cannot be written",
                     "name a place that can, with room on the disk"};
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
