// SPDX-License-Identifier: Apache-2.0
// The forms in which vectors leave. Each writes its files into a folder that is there.
#pragma once

#include <poolproof/vectors.hpp>

namespace poolproof::vectorbase {

using Exported = Checked<std::size_t>;

/// `poolproof_vectors.h`: C99, everything as arrays of 64-bit patterns. Graphs are left out.
Exported export_c(const std::vector<VectorInstance>& all, const std::filesystem::path& out);

/// `vectors.npz` and `vectors.json`, which says what each array is. bfloat16 travels as uint16 patterns.
Exported export_npz(const std::vector<VectorInstance>& all, const std::filesystem::path& out);

/// As npz, with a module beside it that makes parameters for pytest of them.
Exported export_pytest(const std::vector<VectorInstance>& all, const std::filesystem::path& out);

/// Node tests as the onnx package holds them, where a vector is one: MaxPool, AveragePool and the global
/// ones. Their outputs are the reference's, which are permitted.
Exported export_onnx(const std::vector<VectorInstance>& all, const std::filesystem::path& out);

std::optional<Rejection> write_file(const std::filesystem::path& file, const std::string& bytes);

/// What may stand at a position beside its range, as a sum: 1 a range, 2 NaN, 4 inf, 8 -inf, 16 anything.
int marks(const Permitted& p);

inline const Tensor* direction(const Case& c) {
    return c.tangent ? &*c.tangent : c.cotangent ? &*c.cotangent : nullptr;
}

}  // namespace poolproof::vectorbase
