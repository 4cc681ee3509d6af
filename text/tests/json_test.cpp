// SPDX-License-Identifier: Apache-2.0
#include "text/fields.hpp"

#include <gtest/gtest.h>

namespace poolproof::text {
namespace {

std::string nested(int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']');
}

std::string rejection_of(std::string_view line) {
    const auto document = parse(line);
    return document ? "accepted" : message(document.rejection());
}

TEST(Json, KeepsNumbersAsWrittenAndFieldsInOrder) {
    const auto document = parse(R"( {"b":-0, "a":[12345678901234567890.50e+1, true, null]} )");
    ASSERT_TRUE(document);
    const Json& root = document->root;
    EXPECT_EQ(root.names(), (std::vector<std::string_view>{"b", "a"}));
    EXPECT_EQ(root.items()[0].text(), "-0");
    EXPECT_EQ(root.find("a")->items()[0].text(), "12345678901234567890.50e+1");
    EXPECT_TRUE(root.find("a")->items()[1].truth());
    EXPECT_TRUE(root.find("a")->items()[2].is(Json::Kind::null));
    EXPECT_EQ(root.find("c"), nullptr);
}

TEST(Json, DecodesEscapesAndOutlivesAMove) {
    auto document = parse(R"(["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac\ud83d\ude00x","a\u0000b"])");
    ASSERT_TRUE(document);
    const Document moved = std::move(*document);
    EXPECT_EQ(moved.root.items()[0].text(), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(moved.root.items()[1].text(), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80x");
    EXPECT_EQ(moved.root.items()[2].text(), std::string_view("a\0b", 3));
}

TEST(Json, RejectsWhatTheGrammarDoesNotAllow) {
    for (const char* line : {"",
                             " ",
                             "[1,]",
                             "[,1]",
                             "{\"a\":1,}",
                             "{\"a\"}",
                             "{a:1}",
                             "[01]",
                             "[1.]",
                             "[.5]",
                             "[+1]",
                             "[1e]",
                             "[-]",
                             "[0x1]",
                             "nul",
                             "True",
                             "NaN",
                             "Infinity",
                             "'a'",
                             "[1 2]",
                             "[1",
                             "{",
                             "\"a",
                             "\"\\x\"",
                             "\"\\u12g4\"",
                             "\"\\u12",
                             "\"a\tb\"",
                             "[1]]",
                             "1 1",
                             "/**/1",
                             "\xEF\xBB\xBF"
                             "1"}) {
        EXPECT_FALSE(parse(line)) << line;
    }
}

TEST(Json, RejectsTextThatIsNotUnicode) {
    EXPECT_TRUE(parse("\"\xF4\x8F\xBF\xBF\xED\x9F\xBF\""));
    for (const char* line :
         {"\"\xFF\"", "\"\xC0\x80\"", "\"\xE0\x80\x80\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"",
          "\"\xE2\x82\"", "\"\x80\"", R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\u0041")", R"("\ude00")"}) {
        EXPECT_FALSE(parse(line)) << line;
    }
}

TEST(Json, NamesTheByteOfARepeatedFieldEvenIfItIsEscaped) {
    EXPECT_EQ(rejection_of(R"({"ab":1,"a\u0062":2})"),
              "json: byte 8: the field \"ab\" occurs twice; keep one");
}

TEST(Json, StopsAtThirtyTwoLevels) {
    EXPECT_TRUE(parse(nested(32)));
    EXPECT_EQ(rejection_of(nested(33)), "json: byte 32: nested deeper than 32 levels; flatten it");
    EXPECT_FALSE(parse(std::string(1'000'000, '[')));
}

TEST(Fields, RejectAWrongTypeWithItsPlace) {
    const auto document = parse(R"({"kernel":[2,2.5],"ceil_mode":null,"big":2147483648,"huge":[-1e400],)"
                                R"("word":"frist"})");
    ASSERT_TRUE(document);
    const std::array<std::string_view, 2> words{"first", "last"};
    const auto field_of = [&](auto read) {
        Reading reading;
        Fields fields(document->root, "attrs", reading);
        EXPECT_FALSE(read(fields));
        return reading.failed() ? message(*reading.rejection) : "accepted";
    };
    EXPECT_EQ(field_of([](Fields& f) { return f.integers("kernel"); }),
              "attrs.kernel[1]: found 2.5, expected an integer from -2147483647 to 2147483647; write a whole "
              "number");
    EXPECT_EQ(
        field_of([](Fields& f) { return f.boolean("ceil_mode"); }),
        "attrs.ceil_mode: found null, expected true or false; leave the field out where it has no value");
    EXPECT_EQ(field_of([](Fields& f) { return f.integer("big"); }),
              "attrs.big: found 2147483648, expected at most 2147483647; write a smaller number");
    EXPECT_EQ(field_of([](Fields& f) { return f.integers("huge"); }),
              "attrs.huge[0]: found -1e400, expected at least -2147483647; write a larger number");
    EXPECT_EQ(field_of([&](Fields& f) { return f.choice("word", words); }),
              "attrs.word: found \"frist\", expected one of first, last; did you mean \"first\"?");
    EXPECT_EQ(field_of([](Fields& f) { return f.integer("absent"); }), "accepted");
}

TEST(Fields, SuggestTheNearestNameForAnUnknownOne) {
    const auto document = parse(R"({"strid":1})");
    Reading reading;
    Fields fields(document->root, "attrs", reading);
    fields.find("kernel");
    fields.find("stride");
    fields.close();
    ASSERT_TRUE(reading.failed());
    EXPECT_EQ(message(*reading.rejection),
              "attrs.strid: unknown field; known here are kernel, stride; did you mean \"stride\"?");
}

TEST(Fields, ShowLongValuesCutAtACharacter) {
    const std::string long_text = std::string(39, 'a') + "\xC3\xA9" + "b";
    EXPECT_EQ(shown(long_text), '"' + std::string(39, 'a') + "\"...");
}

}  // namespace
}  // namespace poolproof::text
