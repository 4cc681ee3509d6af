// SPDX-License-Identifier: Apache-2.0
// What reaches PyTorch and what comes back, on cases that can be checked by hand.
#include "backends/torch/torch.hpp"

#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof::backends {
namespace {

using Values = std::vector<double>;
using Kind = Observation::Kind;

Case read(const std::string& text) {
    auto c = read_case(text);
    if (!c) throw std::invalid_argument(message(c.rejection()));
    return *c;
}

/// The answer as numbers, from its text; empty with a failed expectation if there is none.
Values answered(const std::string& text, const char* output = "y") {
    const Case c = read(text);
    const Observation o = run_torch(c);
    EXPECT_EQ(o.kind, Kind::answered) << o.why;
    const Tensor* t = o.find(output);
    if (t == nullptr) return {};
    Values values;
    for (Index k = 0; k < t->size(); ++k)
        values.push_back(is_integer(t->format) ? static_cast<double>(integer_value(t->format, (*t)[k]))
                                               : std::strtod(hex_float(t->format, (*t)[k]).c_str(), nullptr));
    return values;
}

Observation told(const std::string& text) { return run_torch(read(text)); }

TEST(Torch, TakesEveryArgumentOfAMaximum) {
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[2],"stride":[3],"pad_begin":[1],"dilation":[2],
        "ceil_mode":true},"input":{"shape":[6],"data":[1,2,3,4,5,6]}})"),
              (Values{2, 5}));
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[2,1]},"input":{"shape":[2,2],"data":[1,4,3,2]}})"),
              (Values{3, 4}));
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[1,1,2]},
        "input":{"shape":[1,2,2],"data":[1,4,3,2]}})"),
              (Values{4, 3}));
}
