// SPDX-License-Identifier: Apache-2.0
// Files of vectors: written and read back, hashed, and refused when they are not in order.
#include "vectorbase/sha256.hpp"
#include "vectorbase/tests/sample.hpp"

#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace poolproof {
namespace {

TEST(Sha256, OfTheStandardsExamples) {
    using vectorbase::sha256;
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(VectorFile, IsReadAsItIsWritten) {
    const VectorFile f = sample_file();
    const std::string text = write_vector_file(f);
    const auto read = read_vector_file("max_pool.tests.json", text);
    ASSERT_TRUE(read) << message(read.rejection());
    EXPECT_EQ(write_vector_file(*read), text);
    ASSERT_EQ(read->vectors.size(), 4U);
    EXPECT_EQ(read->vectors[1].answers.size(), 4U);
    EXPECT_EQ(read->vectors[1].answers[1].expected.outputs[0].values,
              f.vectors[1].answers[1].expected.outputs[0].values);
    EXPECT_TRUE(read->vectors[3].must_be_rejected());
}

TEST(VectorFile, HoldsTheSameAnswersInEveryFormatThatHoldsTheValues) {
    const VectorFile f = sample_file();
    EXPECT_EQ(f.vectors[0].formats.size(), 8U);
    EXPECT_EQ(f.vectors[2].formats,
              (std::vector<Format>{Format::f64, Format::f32, Format::f16, Format::bf16}));
    EXPECT_EQ(f.vectors[2].profiles, std::vector<std::string>{"pytorch"});
    EXPECT_EQ(instance(f.vectors[2], Format::f16, "pytorch").format, Format::f16);
}

TEST(VectorFile, HashesTheContentAlone) {
    Vector v = sample_file().vectors[1];
    v.note = "Another note.";
    v.smoke = true;
    EXPECT_EQ(content_hash(v), v.hash);
    v.profiles.pop_back();
    EXPECT_NE(content_hash(v), v.hash);
}

/// The text with one place changed.
std::string with(std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    if (at == std::string::npos) throw std::runtime_error(what + " is not there");
    return text.replace(at, what.size(), by);
}

TEST(VectorFile, NamesFileVectorAndFieldOfWhatIsWrong) {
    const std::string text = write_vector_file(sample_file());
    struct Broken {
        std::string what, by, field;
    };
    for (const Broken& b : {Broken{"\"level\":\"required\"", "\"level\":\"dear\"", "a-first.level"},
                            Broken{"\"hash\":\"", "\"hash\":\"0", "a-first.hash"},
                            Broken{"[\"ties\"]", "[\"ties\",\"ties\"]", "a-first.flags"},
                            Broken{"\"note\":\"A test.\"", "\"note\":\"\"", "a-first.note"},
                            Broken{"\"count\":4", "\"count\":5", "file.count"},
                            Broken{"\"format\":1", "\"format\":2", "file.format"},
                            Broken{"\"id\":\"b-second\"", "\"id\":\"A b\"", "vectors[1].id"},
                            Broken{"\"id\":\"b-second\"", "\"id\":\"a-a\"", "a-a.id"},
                            Broken{"\"kernel\":[2]", "\"kernel\":[2.5]", "a-first.case.attrs.kernel[0]"},
                            Broken{"[\"inf\"]", "[\"in\"]", "c-third.answers[0].y.also[1]"},
                            Broken{"\"dtypes\":[\"f64\"", "\"dtypes\":[\"f8\"", "a-first.dtypes"},
                            Broken{"\"any_of\":[[1]", "\"any_of\":[[]", "any_of[0]"},
                            Broken{"\"rejected\"", "\"refused\"", "d-fourth"},
                            Broken{"\n\n{\"id\":\"c-third\"", "\n{\"id\":\"c-third\"", "line"}}) {
        const auto read = read_vector_file("max_pool.tests.json", with(text, b.what, b.by));
        ASSERT_FALSE(read) << b.by;
        EXPECT_EQ(read.rejection().field.find("max_pool.tests.json: "), 0U) << message(read.rejection());
        EXPECT_NE(read.rejection().field.find(b.field), std::string::npos)
            << b.by << ": " << message(read.rejection());
        EXPECT_FALSE(read.rejection().remedy.empty());
    }
    EXPECT_FALSE(read_vector_file("avg_pool.tests.json", text));
}

/// A file with bytes, words or lines changed, dropped, doubled or exchanged.
std::string mutated(std::string text, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) {
        return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
    };
    static const std::string bytes = "0123456789{}[],:\"-+.epx\\nfu \n\t\x01\xff";
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
        const std::size_t at = below(text.size()), length = 1 + below(1 + below(40));
        switch (below(6)) {
            case 0: text[at] = bytes[below(bytes.size())]; break;
            case 1: text.erase(at, length); break;
            case 2: text.insert(at, text.substr(below(text.size()), length)); break;
            case 3: text.insert(at, 1, bytes[below(bytes.size())]); break;
            case 4: text.replace(at, length, text.substr(below(text.size()), length)); break;
            default:
                text.insert(
                    at,
                    std::string("999999999999999999\0null[[[[-1e999", 34).substr(below(30), 1 + below(18)));
        }
        if (text.empty()) text = "{";
    }
    return text;
}

/// Ten thousand, or as many as POOLPROOF_FUZZ_INPUTS says.
TEST(VectorFile, MutatedIsRejectedOrStillWellFormed) {
    const char* asked = std::getenv("POOLPROOF_FUZZ_INPUTS");
    const long inputs = asked != nullptr ? std::atol(asked) : 10000;
    const std::string text = write_vector_file(sample_file());
    std::mt19937_64 random(1);  // NOLINT: the same inputs every time
    long rejected = 0;
    for (long k = 0; k < inputs; ++k) {
        const std::string broken = mutated(text, random);
        const auto read = read_vector_file("max_pool.tests.json", broken);
        if (read) {  // a note, say, may be changed
            ASSERT_EQ(write_vector_file(*read), broken);
            continue;
        }
        ++rejected;
        ASSERT_EQ(read.rejection().field.find("max_pool.tests.json: "), 0U) << message(read.rejection());
        ASSERT_FALSE(read.rejection().reason.empty());
    }
    EXPECT_GT(rejected, inputs * 9 / 10);
}

}  // namespace
}  // namespace poolproof
