// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

TEST(Printable, ControlCharactersAreShownAndNotObeyed) {
    EXPECT_EQ(printable("\x1b[31mred\x07\r\x7f"), "\\x1b[31mred\\x07\\x0d\\x7f");
    EXPECT_EQ(printable("\xC2\x9B"
                        "2J"),
              "\\x9b2J");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, AllElseStaysAsItIs) {
    for (const char* text : {"", "two\n\tlines", "\\x1b",
                             "Gr\xC3\xB6\xC3\x9F"
                             "e",
                             "\xC2", "\xC2\xB5s"})
        EXPECT_EQ(printable(text), text);
}

}  // namespace
}  // namespace poolproof
