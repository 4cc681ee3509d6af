// SPDX-License-Identifier: Apache-2.0
// The set of vectors that a revision of the specification requires.
#pragma once

#include <poolproof/vectors.hpp>

namespace poolproof::vectorbase {

/// The frozen vectors whose content or level is another now, or that are gone, without a note that says why.
std::vector<Rejection> unexplained_changes(const VectorBase& base);

/// A file that is not there holds none.
Checked<std::vector<FrozenVector>> read_frozen(const std::filesystem::path& file);

/// The vectors as they are, as the text of such a file.
std::string frozen_text(const VectorBase& base);

}  // namespace poolproof::vectorbase
