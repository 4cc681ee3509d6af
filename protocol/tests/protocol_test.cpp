// SPDX-License-Identifier: Apache-2.0
#include <poolproof/protocol.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof::protocol {
namespace {

Case pooled() {
    return *read_case(R"({"op":"max_pool","mode":"vjp","dtype":"f32","attrs":{"kernel":[2]},
        "input":{"shape":[3],"data":[1,"nan",-0.5]},"cotangent":{"shape":[1],"data":["-0x0p+0"]}})");
}

Case maxima() {
    return *read_case(
        R"({"op":"max_pool","dtype":"f32","attrs":{"kernel":[1]},"input":{"shape":[1],"data":[1]}})");
}

std::string framed(const Message& m) {
    std::string bytes;
    append_frame(bytes, m);
    return bytes;
}

class Framed : public testing::TestWithParam<Framing> {};
INSTANTIATE_TEST_SUITE_P(BothWays, Framed, testing::Values(Framing::lines, Framing::binary));

TEST_P(Framed, ACaseComesBackFromARequest) {
    const Message m = write_run(17, pooled(), GetParam());
    EXPECT_EQ(m.body.empty(), GetParam() == Framing::lines);
    EXPECT_EQ(m.head.find('\n'), std::string::npos);
    const auto r = read_request(m);
    ASSERT_TRUE(r) << message(r.rejection());
    EXPECT_EQ(r->id, 17);
    ASSERT_TRUE(r->run) << message(r->run.rejection());
    EXPECT_EQ(*r->run, pooled());
}

TEST_P(Framed, AnAnswerComesBackFromAReply) {
    Observation o;
    o.outputs.emplace_back("dx", pooled().input);
    const auto r = read_reply(write_reply(3, o, GetParam()), pooled());
    ASSERT_TRUE(r) << message(r.rejection());
    EXPECT_EQ(r->id, 3);
    EXPECT_EQ(r->observation.outputs, o.outputs);
}

TEST_P(Framed, ARefusalKeepsItsKindAndReason) {
    for (const auto kind :
         {Observation::Kind::declined, Observation::Kind::rejected, Observation::Kind::failed}) {
        Observation o;
        o.kind = kind;
        o.why = "because \"of\" this";
        const auto r = read_reply(write_reply(3, o, GetParam()), pooled());
        ASSERT_TRUE(r);
        EXPECT_EQ(r->observation.kind, kind);
        EXPECT_EQ(r->observation.why, o.why);
    }
}

TEST(Hello, ADeclarationComesBackWhole) {
    Declaration d{"mine", "1.2", "onnx", {}};
    Capability c;
    c.ops = {Op::max_pool, Op::graph};
    c.modes = {Mode::vjp};
    c.formats = {Format::bf16};
    c.spatial_ranks = {1, 3};
    c.leading_axes = {2};
    c.attrs = {"dilation"};
    c.memory = {Memory::strided};
    c.max_elements = 100;
    c.max_kernel = 9;
    c.policy.ties = Ties::last;
    c.rejects = true;
    d.capabilities = {c, Capability{}};
    const auto h = read_hello(write_hello(d, Framing::binary));
    ASSERT_TRUE(h) << message(h.rejection());
    EXPECT_EQ(h->framing, Framing::binary);
    EXPECT_EQ(h->declaration.profile, "onnx");
    ASSERT_EQ(h->declaration.capabilities.size(), 2U);
    EXPECT_EQ(write_hello(h->declaration, Framing::binary), write_hello(d, Framing::binary));
}

TEST(Hello, PassesOverWhatItDoesNotKnow) {
    const auto h = read_hello(
        R"({"type":"hello","protocol":1,"later":{},"capabilities":{"ops":["lp_pool","max_pool"],"new":1}})");
    ASSERT_TRUE(h) << message(h.rejection());
    EXPECT_EQ(h->declaration.capabilities.front().ops, std::vector{Op::max_pool});
    EXPECT_EQ(h->declaration.profile, "torchlean");
}

TEST(Hello, DeclaresNothingByAnEmptyList) {
    for (const char* empty : {R"({"ops":[]})", "[]", R"({"dtypes":[]})"}) {
        const auto h =
            read_hello(R"({"type":"hello","protocol":1,"capabilities":)" + std::string(empty) + "}");
        ASSERT_TRUE(h) << message(h.rejection());
        EXPECT_FALSE(covers(h->declaration, maxima())) << empty;
    }
}

TEST(Hello, NamesWhatItDoesNotKnow) {
    const auto h = read_hello(
        R"({"type":"hello","protocol":1,"comment":"x","capabilites":{},"capabilities":[{},{"opps":[],)"
        R"("ops":["max_pool","avgpool"],"dtypes":["float32"],"attrs":["kernel","dilatoin"],)"
        R"("spatial_ranks":[0,1],"policy":{"tie":"last","elementary_ulp":2}}]})");
    ASSERT_TRUE(h) << message(h.rejection());
    std::vector<std::string> said;
    for (const Rejection& r : h->declaration.unknown) said.push_back(message(r));
    EXPECT_EQ(said,
              (std::vector<std::string>{
                  "capabilities[1]: 'opps' is not known; did you mean 'ops'?",
                  "capabilities[1].ops[1]: 'avgpool' is not known; did you mean 'avg_pool'?",
                  "capabilities[1].dtypes[0]: 'float32' is not known; known are f64, f32, f16, bf16, i8, "
                  "u8, i32, i64",
                  "capabilities[1].spatial_ranks: holds 0, which no case has; begin at 1",
                  "capabilities[1].attrs[1]: 'dilatoin' is not known; did you mean 'dilation'?",
                  "capabilities[1].policy: 'tie' is not known; did you mean 'ties'?",
                  "hello: 'capabilites' is not known; did you mean 'capabilities'?"}));
}

TEST(Hello, SaysWhatIsWrong) {
    for (const auto& [line, field] :
         {std::pair{R"({"type":"hello"})", "protocol"},
          {R"({"type":"hello","protocol":2})", "protocol"},
          {R"({"type":"run","protocol":1})", "type"},
          {R"({"type":"hello","protocol":1,"capabilities":{"ops":"all"}})", "capabilities.ops"},
          {R"({"type":"hello","protocol":1,"capabilities":{"max_kernel":-1}})", "capabilities.max_kernel"},
          {R"({"type":"hello","protocol":1,"capabilities":{"spatial_ranks":[1,-4]}})",
           "capabilities.spatial_ranks[1]"},
          {R"({"type":"hello","protocol":1,"capabilities":{"policy":{"ties":"lats"}}})",
           "capabilities.policy.ties"},
          {R"({"type":"hello","protocol":1,"capabilities":{"policy":{"elementary_ulp":0}}})",
           "capabilities.policy.elementary_ulp"},
          {"hello", "json"}}) {
        const auto h = read_hello(line);
        ASSERT_FALSE(h) << line;
        EXPECT_EQ(h.rejection().field, field) << line;
    }
}

TEST(Replies, NeedTheirIdAndOneAnswer) {
    for (const char* line :
         {R"({"outputs":{}})", R"({"id":1})", R"({"id":"1","failed":"x"})",
          R"({"id":1,"failed":"x","declined":"y"})", R"({"id":1,"outputs":{"y":{"shape":[1],"bits":"00"}}})",
          R"({"id":1,"outputs":{"y":{"shape":[1],"bits":"0000000g"}}})", "", "[1]"})
        EXPECT_FALSE(read_reply({line, {}}, maxima())) << line;
}

TEST(Replies, HoldAMaskInTheDtypeOfTheCaseWhereItNamesNoneMIdx) {
    const Case c = *read_case(R"({"op":"max_pool","dtype":"f32","profile":"tiny_pool",
        "attrs":{"kernel":[2,2],"return_indices":true,"index_form":"row_column"},
        "input":{"shape":[1,1,2,2],"data":[1,2,4,3]}})");
    const auto r = read_reply(
        {R"({"id":1,"outputs":{"indices":{"shape":[1,1,1,2],"bits":"0000803f00000000"}}})", {}}, c);
    ASSERT_TRUE(r) << message(r.rejection());
    EXPECT_EQ(r->observation.find("indices")->format, Format::f32);
}

TEST(Replies, HoldNoControlCharacters) {
    const auto r = read_reply({R"({"id":1,"failed":"\u001b[2J"})", {}}, maxima());
    ASSERT_TRUE(r);
    EXPECT_EQ(r->observation.why, "\\x1b[2J");
    const auto h = read_hello(R"({"type":"hello","protocol":1,"name":"\u001bc"})");
    ASSERT_TRUE(h);
    EXPECT_EQ(h->declaration.name, "\\x1bc");
}

TEST(Frames, TensorsMustLieInTheBody) {
    const auto reply = [](const std::string& place) {
        return read_reply(
            {R"({"id":1,"outputs":{"y":{"shape":[1],)" + place + "}}}", std::vector<std::uint8_t>(8)},
            maxima());
    };
    EXPECT_TRUE(reply(R"("at":4,"size":4)"));
    for (const char* place : {R"("at":5,"size":4)", R"("at":0,"size":8)", R"("at":-4,"size":4)", R"("at":0)",
                              R"("size":4)", R"("at":9000000000,"size":4)"})
        EXPECT_FALSE(reply(place)) << place;
}

TEST(Frames, AHeaderSaysLengthsAndChecksum) {
    const Message m{"{}", {1, 2, 3}};
    const std::string bytes = framed(m);
    const auto h = read_frame_header(bytes);
    ASSERT_TRUE(h) << message(h.rejection());
    EXPECT_EQ(h->head, 2U);
    EXPECT_EQ(h->body, 3U);
    const std::string_view rest = std::string_view(bytes).substr(frame_header_bytes);
    EXPECT_TRUE(intact(*h, rest.substr(0, 2), rest.substr(2)));
    for (std::size_t k = frame_header_bytes; k < bytes.size(); ++k) {
        std::string damaged = bytes;
        damaged[k] = static_cast<char>(damaged[k] ^ 1);
        const std::string_view r = std::string_view(damaged).substr(frame_header_bytes);
        EXPECT_FALSE(intact(*h, r.substr(0, 2), r.substr(2))) << k;
    }
}

/// The check values of both checksums' definitions.
TEST(Frames, ChecksumsAreTheStandardOnes) {
    FrameHeader h;
    h.sum = 0xE3069283;
    EXPECT_TRUE(intact(h, "123456789", ""));
    EXPECT_TRUE(intact(h, "1234", "56789"));
    h = {Checksum::crc32, 0xCBF43926, 0, 0};
    EXPECT_TRUE(intact(h, "123456789", ""));
    h = {Checksum::none, 0, 0, 0};
    EXPECT_TRUE(intact(h, "123456789", ""));
}

/// An adapter says which one it can verify; nobody has to implement both.
TEST(Frames, CarryTheChecksumThatTheGreetingNames) {
    const auto named = [](const std::string& field) {
        const auto h = read_hello(R"({"type":"hello","protocol":1,"framing":"binary")" + field + "}");
        return h ? h->checksum : Checksum::none;
    };
    EXPECT_EQ(named(""), Checksum::crc32c);
    EXPECT_EQ(named(R"(,"checksum":"crc32")"), Checksum::crc32);
    EXPECT_EQ(named(R"(,"checksum":"one to come")"), Checksum::crc32c);
    for (const Checksum kind : {Checksum::crc32c, Checksum::crc32, Checksum::none}) {
        std::string bytes;
        append_frame(bytes, {"{}", {1, 2, 3}}, kind);
        const auto h = read_frame_header(bytes);
        ASSERT_TRUE(h);
        EXPECT_EQ(h->checksum, kind);
        EXPECT_TRUE(intact(*h, "{}", std::string_view(bytes).substr(frame_header_bytes + 2)));
    }
}

TEST(Frames, LengthsBeyondTheLimitsAreRefusedFromTheHeaderAlone) {
    const auto with = [](std::size_t at, std::uint8_t value) {
        std::string bytes = framed({"{}", {}});
        bytes[at] = static_cast<char>(value);
        return read_frame_header(bytes);
    };
    EXPECT_TRUE(with(12, 2));
    EXPECT_EQ(with(0, 'Q').rejection().field, "frame.magic");
    EXPECT_EQ(with(4, 2).rejection().field, "frame.version");
    EXPECT_EQ(with(5, 3).rejection().field, "frame.checksum");
    EXPECT_EQ(with(15, 0x80).rejection().field, "frame.head");
    EXPECT_EQ(with(21, 1).rejection().field, "frame.body");
    EXPECT_EQ(read_frame_header("PPF1").rejection().field, "frame");
}

}  // namespace
}  // namespace poolproof::protocol
