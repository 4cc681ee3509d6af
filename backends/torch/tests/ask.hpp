// SPDX-License-Identifier: Apache-2.0
// Cases as text, asked of PyTorch.
#pragma once

#include "backends/torch/torch.hpp"

#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace poolproof::backends {

inline Case read(const std::string& text) {
    auto c = read_case(text);
    if (!c) throw std::invalid_argument(message(c.rejection()));
    return *c;
}

inline Observation told(const std::string& text) { return run_torch(read(text)); }

/// An output as numbers; none, and a failed expectation, where there is no answer.
inline std::vector<double> answered(const std::string& text, const char* output = "y") {
    const Observation o = told(text);
    EXPECT_EQ(o.kind, Observation::Kind::answered) << o.why;
    const Tensor* t = o.find(output);
    std::vector<double> values;
    for (Index k = 0; t != nullptr && k < t->size(); ++k)
        values.push_back(is_integer(t->format) ? static_cast<double>(integer_value(t->format, (*t)[k]))
                                               : std::stod(hex_float(t->format, (*t)[k])));
    return values;
}

}  // namespace poolproof::backends
