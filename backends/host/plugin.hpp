// SPDX-License-Identifier: Apache-2.0
// Loading a plugin, and calling it with buffers whose ends are guarded.
#pragma once

#include <poolproof/backend.hpp>

#include <functional>

namespace poolproof::host {

struct Plugin {
    Declaration declaration;
    std::function<Observation(const Case&)> run;
};

/// A rejection if the file cannot be loaded or is not a plugin of this version.
Checked<Plugin> load_plugin(const std::string& file);

}  // namespace poolproof::host
