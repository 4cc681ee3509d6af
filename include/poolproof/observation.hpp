// SPDX-License-Identifier: Apache-2.0
// What came back from a backend for one case.
#pragma once

#include <poolproof/tensor.hpp>

#include <string>
#include <utility>
#include <vector>

namespace poolproof {

struct Observation {
    enum class Kind : std::uint8_t {
        answered,
        declined,  ///< "I do not support this"
        rejected,  ///< "these arguments are invalid"
        failed,    ///< "it should have worked"
        broke,     ///< a crash, a time-out, a malformed reply
    };

    Kind kind = Kind::answered;
    std::vector<std::pair<std::string, Tensor>> outputs;  ///< of an answer, by name
    std::string why;                                      ///< of everything else
    std::string talk{};  ///< the end of what it wrote on standard error, if it broke
    bool asked = true;   ///< false: the backend was gone before, and the case is still to be done

    const Tensor* find(std::string_view name) const {
        for (const auto& [n, t] : outputs)
            if (n == name) return &t;
        return nullptr;
    }
};

}  // namespace poolproof
