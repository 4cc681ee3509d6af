// SPDX-License-Identifier: Apache-2.0
#include "vectorbase/export.hpp"

#include <fstream>

namespace poolproof {

namespace vectorbase {

std::optional<Rejection> write_file(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream out(file, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) return Rejection{file.string(), "cannot be written", "check the folder's rights and space"};
    return std::nullopt;
}

int marks(const Permitted& p) {
    return (p.range ? 1 : 0) | (p.nan ? 2 : 0) | (p.infinity ? 4 : 0) | (p.minus_infinity ? 8 : 0) |
           (p.open ? 16 : 0);
}

}  // namespace vectorbase

Checked<std::size_t> export_vectors(const VectorBase& base, const VectorFilter& filter,
                                    const std::string& form, const std::filesystem::path& out) {
    std::error_code error;
    std::filesystem::create_directories(out, error);
    if (error)
        return Rejection{"--out", "'" + out.string() + "': " + error.message(),
                         "name a folder to write into"};
    const auto all = instances(base, filter);
    if (form == "c") return vectorbase::export_c(all, out);
    if (form == "npz") return vectorbase::export_npz(all, out);
    if (form == "pytest") return vectorbase::export_pytest(all, out);
    if (form == "onnx") return vectorbase::export_onnx(all, out);
    return Rejection{"--format", "'" + form + "' is not known", "use c, npz, pytest or onnx"};
}

}  // namespace poolproof
