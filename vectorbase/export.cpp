// SPDX-License-Identifier: Apache-2.0
#include <poolproof/vectors.hpp>

namespace poolproof {

Checked<std::size_t> export_vectors(const VectorBase&, const VectorFilter&, const std::string& form,
                                    const std::filesystem::path&) {
    return Rejection{"--format", "'" + form + "' is not known", "use c, npz, pytest or onnx"};
}

}  // namespace poolproof
