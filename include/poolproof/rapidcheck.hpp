// SPDX-License-Identifier: Apache-2.0
// RapidCheck glue: cases of a request as a generator, for properties of one's own beside the oracle. Needs
// <rapidcheck.h>; nothing of ours includes it.
//
//     RC_GTEST_PROP(MyPooling, Conforms, ()) {
//         RC_ASSERT(!poolproof::complaint(my_kernel, *poolproof::cases({.profile = "pytorch"})));
//     }
#pragma once

#include <poolproof/generate.hpp>
#include <poolproof/text.hpp>

#include <rapidcheck.h>

#include <iostream>
#include <stdexcept>

namespace poolproof {

/// RapidCheck picks the number of a case and the request's seed stays, so that each is found again by
/// `poolproof cases`. They are not made smaller by it: `shrunk` and `conformity` do that. Throws
/// std::invalid_argument if the request has no case.
inline rc::Gen<Case> cases(const Request& request = {}) {
    const auto make = generator(request);
    if (!make) throw std::invalid_argument(message(make.rejection()));
    return rc::gen::noShrink(
        rc::gen::map(rc::gen::arbitrary<std::uint32_t>(),
                     [g = *make](std::uint32_t number) { return g(std::uint64_t{number}); }));
}

/// How RapidCheck shows a case: as a line for `poolproof replay`.
inline void showValue(const Case& c, std::ostream& out) { out << write_case(c); }

}  // namespace poolproof
