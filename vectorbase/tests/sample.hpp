// SPDX-License-Identifier: Apache-2.0
// A few vectors to break.
#pragma once

#include <poolproof/vectors.hpp>

#include <stdexcept>

namespace poolproof {

inline Vector drafted(const std::string& line) {
    auto d = read_draft(line);
    if (!d) throw std::runtime_error(message(d.rejection()));
    return std::move(d->vector);
}

inline std::string draft(const std::string& id, const std::string& op_case, const std::string& more = "") {
    return R"({"id":")" + id +
           R"(","theme":"tests","level":"required","clause":"M1","flags":["ties"],"note":"A test.",)" + more +
           R"("case":)" + op_case + "}";
}

/// A maximum with indices, a gradient with ranges, a smooth maximum of two profiles, a rejection.
inline VectorFile sample_file() {
    VectorFile f{"max_pool", "tests", {}};
    f.vectors.push_back(drafted(draft(
        "a-first",
        R"({"op":"max_pool","attrs":{"kernel":[2],"return_indices":true},"input":{"shape":[4],"data":[1,2,4,3]}})")));
    f.vectors.push_back(drafted(draft(
        "b-second", R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2],"stride":[1]},)"
                    R"("input":{"shape":[3],"data":[1,5,2]},"cotangent":{"shape":[2],"data":[1,1]}})")));
    f.vectors.push_back(drafted(draft("c-third",
                                      R"({"op":"max_pool","attrs":{"kernel":[2]},)"
                                      R"("input":{"shape":[4],"data":["nan",1,"inf","-0x1.8p+1"]}})",
                                      R"("profiles":["pytorch"],)")));
    f.vectors.push_back(drafted(
        draft("d-fourth", R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[2],"data":[1,2]}})",
              R"("rejected":true,)")));
    return f;
}

}  // namespace poolproof
