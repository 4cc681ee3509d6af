// SPDX-License-Identifier: Apache-2.0
// Whole files and folders.
#pragma once

#include <poolproof/rejection.hpp>

#include <optional>
#include <string>

namespace poolproof::cli {

/// Everything in a file; nothing if it cannot be read.
std::optional<std::string> file_bytes(const std::string& path);

/// Writes a file whole, or leaves what was there: a rejection under `option` says why.
std::optional<Rejection> write_file(const char* option, const std::string& path, const std::string& bytes);

/// Makes a folder with all that lead to it.
std::optional<Rejection> make_folder(const char* option, const std::string& path);

/// How `cases` names the files of a case, and `judge` those of its answer: FOLDER/000017.NAME.npy
std::string numbered(const std::string& folder, std::size_t line, const std::string& name);

}  // namespace poolproof::cli
