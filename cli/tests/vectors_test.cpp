// SPDX-License-Identifier: Apache-2.0
// `poolproof vectors` as a user meets it.
#include "cli/tests/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace poolproof {
namespace {

struct Result {
    int exit_code;
    std::string out, err;
};

Result vectors(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "vectors");
    Program p(arguments);
    p.end_input();
    Result r;
    r.out = p.rest_of_output();
    r.err = p.errors();
    r.exit_code = p.exit_code();
    return r;
}

TEST(Vectors, JudgeTheReferenceAndALiar) {
    const Result right = vectors({"run", "--smoke"});
    EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
    EXPECT_NE(right.out.find("conforms: reference under profile torchlean: 0 of "), std::string::npos)
        << right.out;
    const Result wrong = vectors({"run", "--backend", "faulty:overlap_assigns", "--mode", "vjp"});
    EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
    EXPECT_EQ(wrong.out.find("vector "), 0U) << wrong.out.substr(0, 2000);
    EXPECT_NE(wrong.out.find(" (f64) deviates"), std::string::npos) << wrong.out.substr(0, 2000);
}

TEST(Vectors, TellWhatIsWrongWithAValue) {
    const Result wrong =
        vectors({"run", "--backend", "faulty:overlap_assigns", "--mode", "vjp", "--op", "max_pool"});
    const std::size_t at = wrong.out.find("vector gradient-overlap-adds (f64) deviates [");
    ASSERT_NE(at, std::string::npos) << wrong.out;
    const std::string one = wrong.out.substr(at, wrong.out.find("\n\n", at) - at);
    for (const char* part : {"\n  at         dx[1]", "\n  got        0x1p+0 (1, 0x3ff0000000000000)",
                             "\n  permitted  0x1.", "\n  exact      2", "\n  case       {"})
        EXPECT_NE(one.find(part), std::string::npos) << part << " in " << one;
    EXPECT_NE(wrong.out.find("\n.. and "), std::string::npos);
}

std::size_t lines_of(const std::vector<std::string>& arguments) {
    const std::string out = vectors(arguments).out;
    return static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
}

TEST(Vectors, AreJudgedUnderEveryProfileThatTheReferenceHas) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"run"}, {"run", "--profile", "all", "--backend", "reference"}}) {
        const Result r = vectors(arguments);
        EXPECT_EQ(r.exit_code, 0) << r.err;
        for (const char* profile : {"onnx", "pytorch", "tiny_pool", "torchlean"})
            EXPECT_NE(r.out.find("conforms: reference under profile " + std::string(profile)),
                      std::string::npos)
                << profile;
    }
    const Result one = vectors({"run", "--profile", "onnx"});
    EXPECT_EQ(one.out.find("under profile"), one.out.rfind("under profile"));
    EXPECT_EQ(vectors({"run", "--profile", "all", "--answers", "/tmp/none"}).exit_code, 2);
}

TEST(Vectors, AreListedAsTheyAreRun) {
    const std::size_t all = lines_of({"list"});
    EXPECT_GT(all, 1000U);
    EXPECT_EQ(lines_of({"list", "--profile", "all"}), all);
    std::size_t by_level = 0;
    for (const char* level : {"required", "recommended", "informative"})
        by_level += lines_of({"list", "--level", level});
    EXPECT_EQ(by_level, all);
    for (const std::vector<std::string>& fewer : {std::vector<std::string>{"--op", "graph"},
                                                  {"--mode", "jvp"},
                                                  {"--dtype", "i8"},
                                                  {"--profile", "tiny_pool"},
                                                  {"--smoke"}}) {
        std::vector<std::string> arguments{"list"};
        arguments.insert(arguments.end(), fewer.begin(), fewer.end());
        EXPECT_GT(lines_of(arguments), 0U) << fewer.front();
        EXPECT_LT(lines_of(arguments), all / 2) << fewer.front();
    }
}

TEST(Vectors, SayWhenNoneIsLeft) {
    for (const char* action : {"run", "list"}) {
        const Result r = vectors({action, "--op", "graph", "--mode", "vjp", "--dtype", "i8"});
        EXPECT_EQ(r.exit_code, 2) << action;
        EXPECT_NE(r.err.find("none is left by the options; leave out some of --profile"), std::string::npos)
            << r.err;
    }
    EXPECT_NE(vectors({"show"}).err.find("SLUG: is missing; name a vector after 'show'"), std::string::npos);
}

TEST(Vectors, RefuseOptionsOfOtherActions) {
    const Result r = vectors({"run", "--seed", "5"});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_NE(r.err.find("'vectors run'"), std::string::npos) << r.err;
    EXPECT_EQ(vectors({"list", "--backend", "reference"}).exit_code, 2);
    EXPECT_EQ(vectors({"lint", "--smoke"}).exit_code, 2);
}

TEST(Vectors, NameTheProfilesThatThereAre) {
    for (const char* action : {"run", "list"}) {
        const Result r = vectors({action, "--profile", "nonsense"});
        EXPECT_EQ(r.exit_code, 2);
        EXPECT_NE(r.err.find("onnx, pytorch, tiny_pool, torchlean"), std::string::npos) << r.err;
    }
    EXPECT_NE(vectors({"list", "--dtype", "foo"}).err.find("f64, f32"), std::string::npos);
}

TEST(Vectors, AreListedAndShown) {
    const Result shown = vectors({"show", "gradient-overlap-adds"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_EQ(shown.out.find("{\"id\":\"gradient-overlap-adds\""), 0U);
    EXPECT_NE(vectors({"list"}).out.find("\ngradient-overlap-adds "), std::string::npos);
}

TEST(Vectors, RefuseWhatTheyDoNotKnow) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                      {"dance"},
                                                      {"show", "nobody"},
                                                      {"run", "--backend", "nobody"},
                                                      {"run", "extra"},
                                                      {"run", "--op", "median_pool"},
                                                      {"run", "--level", "dear"},
                                                      {"run", "--profile", "nobody"},
                                                      {"add", "/nowhere"},
                                                      {"export"},
                                                      {"export", "--format", "xml", "--out", "/tmp"},
                                                      {"list", "--dir", "/nowhere"}}) {
        const Result r = vectors(arguments);
        EXPECT_EQ(r.exit_code, 2) << (arguments.empty() ? "" : arguments.back());
        EXPECT_EQ(r.err.find("poolproof: "), 0U) << r.err;
    }
}

/// A copy of the vectors that may be written to.
class Copy : public testing::Test {
protected:
    void SetUp() override {
        folder = std::filesystem::temp_directory_path() / ("poolproof_vectors_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "flags.json")
            << R"({"flags":[{"name":"ties","shows":"Ties.","reports":[],"no_report":"A test."}]})"
            << "\n";
        std::ofstream(folder / "changes.json") << "{\"changes\":[]}\n";
        std::ofstream(folder / "frozen-1.txt") << "";
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    Result with(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--dir", folder.string()});
        return vectors(arguments);
    }
    std::string draft(const std::string& data, const std::string& more = "") const {
        const auto file = folder / "drafts";
        std::ofstream(file)
            << R"({"id":"one","theme":"tests","level":"required","flags":["ties"],"note":"A test.",)" << more
            << R"("case":{"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":)" << data
            << "}}}\n";
        return file.string();
    }

    std::filesystem::path folder;
};

TEST_F(Copy, IsWrittenByAddAndGuardedByLint) {
    EXPECT_EQ(with({"add", draft("[3,3]")}).exit_code, 0);
    EXPECT_EQ(with({"lint"}).exit_code, 0);
    EXPECT_EQ(with({"freeze"}).exit_code, 0);
    EXPECT_EQ(with({"add", draft("[3,4]")}).exit_code, 2);
    EXPECT_EQ(with({"add", draft("[3,4]", R"("change":"Four.",)")}).exit_code, 0);
    EXPECT_EQ(with({"lint"}).exit_code, 0);
    std::ofstream(folder / "changes.json") << "{\"changes\":[]}\n";
    const Result r = with({"lint"});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_NE(r.out.find("one: has changed since it was frozen"), std::string::npos) << r.out;
}

std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Copy, IsFrozenAnewOnlyWhereChangesAreExplained) {
    ASSERT_EQ(with({"add", draft("[3,3]")}).exit_code, 0);
    ASSERT_EQ(with({"freeze"}).exit_code, 0);
    const std::string frozen = contents(folder / "frozen-1.txt");
    EXPECT_EQ(frozen.substr(0, 4), "one ");
    EXPECT_EQ(frozen.substr(frozen.size() - 10), " required\n");
    std::filesystem::remove(folder / "max_pool.tests.json");
    const Result gone = with({"freeze"});
    EXPECT_EQ(gone.exit_code, 2);
    EXPECT_NE(gone.err.find("one: is gone"), std::string::npos) << gone.err;
    EXPECT_EQ(contents(folder / "frozen-1.txt"), frozen);
    std::ofstream(folder / "changes.json")
        << R"({"changes":[{"id":"one","was":")" << frozen.substr(4, 64) << R"(","now":"","why":"A test."}]})";
    EXPECT_EQ(with({"freeze"}).exit_code, 0);
    EXPECT_EQ(contents(folder / "frozen-1.txt"), "");
}

/// One that `faulty:overlap_assigns` fails, larger than it needs to be.
const char* const failing =
    R"({"op":"max_pool","mode":"vjp","dtype":"f32","profile":"pytorch","attrs":{"kernel":[2],"stride":[1]},)"
    R"("input":{"shape":[5],"data":[1,5,2,4,3]},"cotangent":{"shape":[4],"data":[1,1,1,1]}})"
    "\n";

TEST_F(Copy, TakesACaseAsReduceWritesIt) {
    std::ofstream(folder / "big.jsonl") << failing;
    const Ran reduced =
        run({"reduce", (folder / "big.jsonl").string(), "--backend", "faulty:overlap_assigns"});
    ASSERT_EQ(reduced.exit_code, 0) << reduced.err;
    std::ofstream(folder / "red.jsonl") << reduced.out;
    const Result added = with({"add", (folder / "red.jsonl").string()});
    ASSERT_EQ(added.exit_code, 0) << added.err;
    const Result shown = with({"show", "faulty_overlap_assigns-max_pool-vjp-mtie"});
    ASSERT_EQ(shown.exit_code, 0) << added.out;
    for (const char* part :
         {R"("level":"recommended")", R"("clause":"MTie")", R"("note":"faulty:overlap_assigns 1: deviates)",
          R"("dtypes":["f64","f32","f16","bf16"])",
          R"("case":{"op":"max_pool","mode":"vjp","attrs":{"kernel")"})
        EXPECT_NE(shown.out.find(part), std::string::npos) << part << " in " << shown.out;
}

TEST_F(Copy, TakesWhatTheOptionsSayOfACase) {
    std::ofstream(folder / "case.jsonl") << failing;
    const std::string file = (folder / "case.jsonl").string();
    const Result silent = with({"add", file});
    EXPECT_EQ(silent.exit_code, 2);
    EXPECT_NE(silent.err.find(":1: note: "), std::string::npos) << silent.err;
    const Result added = with({"add", file, "--id", "overlap-of-mine", "--theme", "mine", "--flag", "ties",
                               "--note", "Adds up.", "--level", "informative", "--clause", "MTie", "--dtype",
                               "f32", "--profile", "pytorch"});
    ASSERT_EQ(added.exit_code, 0) << added.err;
    const std::string shown = with({"show", "overlap-of-mine"}).out;
    for (const char* part : {R"("level":"informative")", R"("clause":"MTie")", R"("flags":["ties"])",
                             R"("note":"Adds up.")", R"("profiles":["pytorch"])", R"("dtypes":["f32"])"})
        EXPECT_NE(shown.find(part), std::string::npos) << part << " in " << shown;
    EXPECT_TRUE(std::filesystem::exists(folder / "max_pool.mine.json"));
}

TEST_F(Copy, RefusesOptionsThatDoNotFitWhatIsAdded) {
    EXPECT_EQ(with({"add", draft("[3,3]"), "--note", "Another."}).exit_code, 2);
    std::ofstream(folder / "two.jsonl") << failing << failing;
    const Result two = with({"add", (folder / "two.jsonl").string(), "--id", "one", "--note", "Adds up."});
    EXPECT_EQ(two.exit_code, 2);
    EXPECT_NE(two.err.find("--id"), std::string::npos) << two.err;
}

TEST_F(Copy, IsExportedInEveryForm) {
    ASSERT_EQ(with({"add", draft("[3,4]")}).exit_code, 0);
    for (const auto& [form, file] : {std::pair("c", "poolproof_vectors.h"), std::pair("npz", "vectors.npz"),
                                     std::pair("pytest", "poolproof_vectors.py"),
                                     std::pair("onnx", "test_one_f64/test_data_set_0/output_0.pb")}) {
        const auto out = folder / form;
        EXPECT_EQ(with({"export", "--format", form, "--out", out.string()}).exit_code, 0) << form;
        EXPECT_TRUE(std::filesystem::file_size(out / file) > 0) << form;
    }
}

}  // namespace
}  // namespace poolproof
