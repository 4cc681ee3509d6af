// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

TEST(Answers, RationalsAndSpecialsAreExact) {
    Exact e;
    e.shape = {3};
    e.values = {{"1/3", "1/3", ""}, {"", "", "nan"}, {"", "", "open"}};
    EXPECT_EQ(write_exact(e), R"({"shape":[3],"exact":["1/3","nan","open"]})");
}

TEST(Answers, OneIrrationalMakesEveryValueAnEnclosure) {
    Exact e;
    e.shape = {3};
    e.values = {{"1/3", "1/3", ""}, {"1/4", "1/2", ""}, {"", "", "-inf"}};
    EXPECT_EQ(write_exact(e), R"({"shape":[3],"lower":["1/3","1/4","-inf"],"upper":["1/3","1/2","-inf"]})");
}

TEST(Answers, AnIndexIsANumberAListOrOpen) {
    Exact e;
    e.shape = {0};
    e.index_shape = Shape{3};
    e.indices = {std::vector<Index>{4}, std::vector<Index>{0, 2}, std::nullopt};
    EXPECT_EQ(write_exact(e), R"({"shape":[0],"exact":[],"indices":[4,[0,2],"open"]})");
}

TEST(Answers, APermittedSetNamesItsEndsAndWhatElseIsAllowed) {
    ExpectedOutput y{"y", Format::f16, {4}, {}, {}};
    y.values = {Permitted::exactly(0x3C00),
                Permitted::any_nan(),
                Permitted::anything(),
                {.lowest = 0x8000, .highest = 0, .range = true, .nan = true, .minus_infinity = true}};
    ExpectedOutput indices{"indices", Format::i64, {2}, {}, {std::vector<Index>{1, 2}, std::nullopt}};
    EXPECT_EQ(write_expected({{y, indices}}),
              R"({"outputs":{"y":{"shape":[4],"lowest":["0x1p+0",null,null,"-0x0p+0"],)"
              R"("highest":["0x1p+0",null,null,"0x0p+0"],"also":[[],["nan"],["open"],["nan","-inf"]]},)"
              R"("indices":{"shape":[2],"any_of":[[1,2],["open"]]}}})");
}

TEST(Answers, IntegersAreJsonNumbers) {
    ExpectedOutput y{"y", Format::i8, {}, {Permitted::exactly(0xFF)}, {}};
    EXPECT_EQ(write_expected({{y}}),
              R"({"outputs":{"y":{"shape":[],"lowest":[-1],"highest":[-1],"also":[[]]}}})");
}

TEST(Answers, ARejectionIsOneEscapedLine) {
    EXPECT_EQ(write_rejection({"attrs.kernel[0]", "found \"a\nb\"", "write 2"}),
              R"({"rejected":"attrs.kernel[0]: found \"a\nb\"; write 2"})");
}

Case maxima_with(const std::string& further, const std::string& shape) {
    return *read_case(R"({"op":"max_pool","dtype":"f32",)" + further + R"("input":{"shape":)" + shape +
                      R"(,"data":[1,2,4,3]}})");
}

TEST(AskedOutputs, AreIndicesInI64AndAMaskInTheDtypeOfTheCaseMIdx) {
    const auto formats = [](const Case& c) {
        std::vector<Format> r;
        for (const AskedOutput& output : asked_outputs(c)) r.push_back(output.format);
        return r;
    };
    EXPECT_EQ(formats(maxima_with(R"("attrs":{"kernel":[2]},)", "[4]")), std::vector{Format::f32});
    EXPECT_EQ(formats(maxima_with(R"("attrs":{"kernel":[2],"return_indices":true},)", "[4]")),
              (std::vector{Format::f32, Format::i64}));
    EXPECT_EQ(formats(maxima_with(
                  R"("attrs":{"kernel":[2,2],"return_indices":true,"index_form":"row_column"},)", "[2,2]")),
              (std::vector{Format::f32, Format::f32}));
}

TEST(ReadAnswer, PassesOverWhatNobodyAskedForWhateverItHolds) {
    const auto outputs = [](const std::string& text) {
        const auto o = read_answer("{\"outputs\":{" + text + "}}", {{"y", Format::f32}});
        std::string names;
        if (o)
            for (const auto& [name, tensor] : o->outputs) names += name + " ";
        return o ? names : message(o.rejection());
    };
    const std::string y = R"("y":{"shape":[1],"data":[1]})";
    for (const char* further : {R"("debug":5)", R"("debug":{"shape":[-1]})", R"("dx":null)",
                                R"("indices":{"shape":[2],"data":[]})", R"("debug":{"y":{}})"})
        EXPECT_EQ(outputs(y + "," + further), "y ") << further;
    EXPECT_EQ(outputs(R"("debug":5)"), "");
    EXPECT_NE(outputs(R"("y":5)"), "");
}

TEST(Quoted, EscapesControlCharactersAndReplacesWhatIsNotUnicode) {
    EXPECT_EQ(json_string("a\"\\\t\x01\x1f\x7f"), "\"a\\\"\\\\\\t\\u0001\\u001f\x7f\"");
    EXPECT_EQ(json_string("\xC3\xA9\xC3"), "\"\xC3\xA9\xEF\xBF\xBD\"");
}

TEST(Nouns, PoliciesAreKnownByNameAndOverlaidOneByOne) {
    Choices under, over;
    under.ties = Ties::last;
    under.nan = Nan::ignore;
    over.ties = Ties::convex;
    over.elementary_ulp = 2;
    const Choices both = overlaid(under, over);
    EXPECT_EQ(both.ties, Ties::convex);
    EXPECT_EQ(both.nan, Nan::ignore);
    EXPECT_EQ(both.elementary_ulp, 2);
    for (const ChoiceField& field : choice_fields()) {
        for (std::size_t i = 0; i < field.values.size(); ++i) {
            Choices c;
            field.set(c, i);
            EXPECT_EQ(field.get(c), i) << field.name;
        }
    }
    EXPECT_EQ(format_named("bf16"), Format::bf16);
    EXPECT_EQ(format_named("f8"), std::nullopt);
}

TEST(Nouns, AZeroExtentDoesNotExcuseTheOthers) {
    EXPECT_EQ(valid_size({}), 1);
    EXPECT_EQ(valid_size({4, 0, 5}), 0);
    EXPECT_EQ(valid_size({max_elements}), max_elements);
    EXPECT_EQ(valid_size({max_elements, 2}), std::nullopt);
    EXPECT_EQ(valid_size({0, max_elements, 2}), std::nullopt);
    EXPECT_EQ(valid_size({-1}), std::nullopt);
    EXPECT_EQ(valid_size(Shape(17, 1)), std::nullopt);
}

}  // namespace
}  // namespace poolproof
