// SPDX-License-Identifier: Apache-2.0
// The pieces of a vector as JSON: what reading, writing and making share.
#pragma once

#include "text/fields.hpp"
#include "text/write.hpp"

#include <poolproof/vectors.hpp>

namespace poolproof::vectorbase {

/// A value as JSON without spaces, its numbers and the order of its fields as they were.
std::string compact(const text::Json& json);

/// A case as vectors hold it: `write_case` without dtype and profile.
std::string question_text(Case c);

/// The outputs as fields of an answer: `"y":{..}` and `"indices":{..}`. As `expect` writes them, but without
/// `highest` where it is `lowest` throughout, and without `also` where there is nothing further.
std::string outputs_text(const Expected& e);

/// What `outputs_text` wrote, read in one of the formats that share it. Fields of the object that are no
/// outputs are left to the caller.
Expected outputs_at(text::Fields& fields, Format format, text::Reading& reading);

/// The fields from `profiles` on, as they are hashed.
std::string content_text(const Vector& v);

/// The fields in front of the content, by the same names in files and drafts.
void read_description(text::Fields& fields, Vector& v, text::Reading& reading);

std::vector<std::string> strings_at(const text::Json& json, const std::string& path, text::Reading& reading);
std::vector<Format> formats_at(const text::Json& json, const std::string& path, text::Reading& reading);
std::string formats_text(const std::vector<Format>& formats);

/// Lower-case letters, digits and underscores, in groups with a dash between them.
bool is_slug(std::string_view s);

}  // namespace poolproof::vectorbase
