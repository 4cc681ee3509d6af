// SPDX-License-Identifier: Apache-2.0
// The program as its users meet it: arguments and lines in, lines and an exit code out. The text of --help is
// a stored baseline, help.txt; POOLPROOF_APPROVE=1 rewrites it.
#include "cli/tests/program.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace poolproof {
namespace {

const std::string average =
    R"({"op":"avg_pool","attrs":{"kernel":[3]},"input":{"shape":[3],"data":[1,2,4]}})";
const std::string maximum = R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[1,2]}})";
const std::string rejected = R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[2],"data":[1,2]}})";
const std::string unknown_field = R"({"op":"max_pool","atrs":{},"input":{"shape":[2],"data":[1,2]}})";
const std::string open = R"({"op":"max_pool","attrs":{"kernel":[1]},"input":{"shape":[1],"data":["nan"]}})";
const std::string refusal = R"({"rejected":"attrs.kernel[0]: is 0; use at least 1"})";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string file_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream s;
    s << in.rdbuf();
    return s.str();
}

/// A file that is gone at the end of the test.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& text = "") {
        static int count = 0;
        path = std::filesystem::temp_directory_path() /
               ("poolproof_" + std::to_string(getpid()) + "_" + std::to_string(count++));
        std::ofstream(path, std::ios::binary) << text;
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path); }

    std::filesystem::path path;
};

TEST(Oracle, AnswersOneLinePerCaseAndSkipsBlankLines) {
    const Ran r = run({"oracle"}, average + "\n\n  \n" + rejected + "\n" + maximum + "\n");
    EXPECT_EQ(r.out,
              "{\"shape\":[1],\"exact\":[\"7/3\"]}\n" + refusal + "\n{\"shape\":[1],\"exact\":[\"2\"]}\n");
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(r.exit_code, 0);
}

TEST(Oracle, AnswersALastLineWithoutANewlineAndNoLineAtAll) {
    EXPECT_EQ(run({"oracle"}, maximum).out, "{\"shape\":[1],\"exact\":[\"2\"]}\n");
    const Ran none = run({"oracle"});
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(none.exit_code, 0);
}

TEST(Oracle, NamesALineThatIsNoCaseGoesOnAndExitsWithTwo) {
    const Ran r = run({"oracle"}, maximum + "\nnonsense\n" + maximum + "\n");
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_TRUE(contains(r.err, "line 2 is not a case")) << r.err;
    EXPECT_EQ(r.out.find("{\"shape\":[1],\"exact\":[\"2\"]}\n{\"rejected\":"), 0U) << r.out;
    EXPECT_TRUE(r.out.ends_with("\n{\"shape\":[1],\"exact\":[\"2\"]}\n")) << r.out;
}

TEST(Oracle, TakesACaseWithAnUnknownFieldForARejectedOne) {
    const Ran r = run({"oracle"}, unknown_field + "\n");
    EXPECT_EQ(r.out.find("{\"rejected\":\"atrs: "), 0U) << r.out;
    EXPECT_EQ(r.exit_code, 0);
}

TEST(Oracle, AnswersManyLines) {
    std::string input, output;
    for (int k = 0; k < 5000; ++k) {
        input += maximum + "\n";
        output += "{\"shape\":[1],\"exact\":[\"2\"]}\n";
    }
    const Ran r = run({"oracle"}, input);
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.out, output);
}

TEST(Oracle, EnclosesAsNarrowlyAsAskedS1) {
    const std::string smooth =
        R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":1},"input":{"shape":[2],"data":[0,1]}})";
    const std::string coarse = run({"oracle", "--bits", "20"}, smooth).out;
    const std::string fine = run({"oracle", "--bits=400"}, smooth).out;
    EXPECT_EQ(coarse.find(R"({"shape":[1],"lower":[")"), 0U) << coarse;
    EXPECT_LT(coarse.size(), fine.size());
    for (const char* bits : {"0", "4001", "x", "-1", "1.5", ""})
        EXPECT_EQ(run({"oracle", "--bits", bits}, smooth).exit_code, 2) << bits;
}

TEST(Expect, PrintsThePermittedSetOfEveryOutputMIdx) {
    const Ran r = run({"expect"}, R"({"op":"max_pool","dtype":"f32","policy":{"ties":"any"},)"
                                  R"("attrs":{"kernel":[2],"return_indices":true},)"
                                  R"("input":{"shape":[2,2],"data":[1,1,"nan","-0x0p+0"]}})");
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.out, R"({"outputs":{"y":{"shape":[2,1],"lowest":["0x1p+0",null],"highest":["0x1p+0",null],)"
                     R"("also":[[],["open"]]},"indices":{"shape":[2,1],"any_of":[[0,1],["open"]]}}})"
                     "\n");
}

TEST(Expect, AnswersRejectedCasesAndNamesWhatIsNoCase) {
    EXPECT_EQ(run({"expect"}, rejected).out, refusal + "\n");
    EXPECT_EQ(run({"expect"}, rejected).exit_code, 0);
    EXPECT_EQ(run({"expect"}, "[]").exit_code, 2);
}

/// Judges one line of answers per case.
Ran judged(const std::string& cases, const std::string& answers) {
    const TemporaryFile file(answers);
    return run({"judge", "--answers", file.path.string()}, cases);
}

const std::string right = R"({"outputs":{"y":{"shape":[1],"data":[2]}}})";
const std::string wrong = R"({"id":7,"outputs":{"y":{"shape":[1],"data":[1]}}})";

TEST(Judge, ExitsWithZeroWhereAllConforms) {
    const Ran r = judged(maximum + "\n" + rejected + "\n", right + "\n" + R"({"rejected":"no"})" + "\n");
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_EQ(r.out.find(R"({"outcome":"conforms")"), 0U) << r.out;
    EXPECT_TRUE(contains(r.out, "\n{\"outcome\":\"conforms\"")) << r.out;
}

TEST(Judge, ExitsWithOneWhereAValueDeviatesAndSaysWhere) {
    const Ran r = judged(maximum + "\n" + maximum + "\n", wrong + "\n" + right + "\n");
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_EQ(r.out.find(R"({"outcome":"deviates","clause":"M1","where":"y[0]")"), 0U) << r.out;
    EXPECT_TRUE(contains(r.out, "\n{\"outcome\":\"conforms\"")) << r.out;
}

const std::string masked = R"({"op":"max_pool","dtype":"f32","profile":"tiny_pool","attrs":{"kernel":[2,2],)"
                           R"("return_indices":true,"index_form":"row_column"},)"
                           R"("input":{"shape":[1,1,2,2],"data":[1,2,4,3]}})";
const std::string mask = R"({"shape":[1,1,1,2],"data":[1,0]})";

TEST(Judge, ReadsAMaskInTheDtypeOfTheCaseMIdx) {
    const auto outcome = [](const std::string& indices) {
        return judged(masked,
                      R"({"outputs":{"y":{"shape":[1,1,1,1],"data":[4]},"indices":)" + indices + "}}");
    };
    EXPECT_EQ(outcome(mask).exit_code, 0) << outcome(mask).out;
    EXPECT_EQ(outcome(R"({"dtype":"i64",)" + mask.substr(1)).exit_code, 1);
}

/// A folder of answers as array files.
class TemporaryFolder {
public:
    TemporaryFolder() { std::filesystem::create_directory(path); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path); }

    void add(const std::string& file, Format format, const Shape& shape, const std::vector<int>& values) {
        Tensor t(format, shape);
        for (std::size_t k = 0; k < values.size(); ++k)
            t.set(static_cast<Index>(k), *rounded_number(format, std::to_string(values[k])));
        std::ofstream(path / file, std::ios::binary) << write_npy(t);
    }

    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("poolproof_answers_" + std::to_string(getpid()));
};

TEST(Judge, ReadsAMaskInTheDtypeOfTheCaseFromArrayFilesTooMIdx) {
    TemporaryFolder folder;
    folder.add("000000.y.npy", Format::f32, {1, 1, 1, 1}, {4});
    folder.add("000000.indices.npy", Format::f32, {1, 1, 1, 2}, {1, 0});
    const Ran r = run({"judge", "--answers", folder.path.string()}, masked);
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
}

TEST(Judge, IgnoresAnOutputThatNobodyAskedForButMissesOneThatIsAskedForAnswer) {
    EXPECT_EQ(judged(maximum, R"({"outputs":{"debug":[1],"y":{"shape":[1],"data":[2]},"dx":{}}})").exit_code,
              0);
    EXPECT_EQ(judged(maximum, R"({"outputs":{"debug":{"shape":[1],"data":[2]}}})").exit_code, 1);
}

TEST(Judge, TakesWhatIsMissingOrMalformedForBroken) {
    const Ran r = judged(maximum + "\n" + maximum + "\n", "nonsense\n");
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_EQ(r.out.find(R"({"outcome":"broke")"), 0U) << r.out;
    EXPECT_TRUE(contains(r.out, "there is no answer")) << r.out;
}

TEST(Judge, ExitsWithTwoForALineThatIsNoCaseOrAnAnswerTooMany) {
    EXPECT_EQ(judged(maximum + "\nnonsense\n", right + "\n" + right + "\n").exit_code, 2);
    EXPECT_EQ(judged(maximum + "\n", right + "\n" + right + "\n").exit_code, 2);
    EXPECT_EQ(judged(maximum + "\nnonsense\n", wrong + "\n" + right + "\n").exit_code, 2);
}

TEST(Judge, ExitsWithFourWhereNothingWasJudged) {
    EXPECT_EQ(judged(open + "\n", R"({"outputs":{"y":{"shape":[1],"data":[5]}}})").exit_code, 4);
    EXPECT_EQ(judged(maximum + "\n", R"({"declined":"no"})").exit_code, 4);
    EXPECT_EQ(judged(rejected + "\n", R"({"declined":"no"})").exit_code, 4);
    EXPECT_EQ(judged("", "").exit_code, 4);
}

TEST(Judge, WantsAFileOfAnswers) {
    EXPECT_EQ(run({"judge"}, maximum).exit_code, 2);
    EXPECT_EQ(run({"judge", "--answers", "/nowhere/answers"}, maximum).exit_code, 2);
    EXPECT_EQ(run({"judge", "answers"}, maximum).exit_code, 2);
}

TEST(Explain, PrintsAClauseByItsLabelW1) {
    const Ran r = run({"explain", "W1"});
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.out.find("**[W1]** Output `o` sees the taps `o*stride - pad_begin + k*dilation`"), 0U)
        << r.out;
    EXPECT_FALSE(contains(r.out, "[W2]**"));
    EXPECT_EQ(run({"explain", "[w1]"}).out, r.out);
    EXPECT_TRUE(contains(run({"explain", "W1", "MTie"}).out, "**[MTie]**"));
}

TEST(Explain, ListsEveryClauseAndRefusesWhatIsNone) {
    const Ran all = run({"explain"});
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_EQ(all.out.find("**[W1]**"), 0U) << all.out;
    EXPECT_GE(std::count(all.out.begin(), all.out.end(), '\n'), 34);
    const Ran none = run({"explain", "Q1"});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_TRUE(contains(none.err, "Q1")) << none.err;
}

TEST(Check, JudgesTheReferenceOnGeneratedCases) {
    const Ran r = run({"check", "--cases", "60", "--seed", "5"});
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_TRUE(contains(r.out, "reference 1 under profile torchlean")) << r.out;
    EXPECT_TRUE(contains(r.out, "\nconforms: 0 of ")) << r.out;
    EXPECT_EQ(run({"check", "--cases", "60", "--seed", "5"}).out, r.out);
}

TEST(Check, KeepsToTheOpsModesDtypesAndProfileAskedFor) {
    const Ran r = run({"check", "--cases=20", "--op", "avg_pool", "--op=global_avg_pool", "--mode", "vjp",
                       "--dtype", "f32", "--profile", "pytorch"});
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_TRUE(contains(r.out, "under profile pytorch"));
    EXPECT_TRUE(contains(r.out, "avg_pool")) << r.out;
    EXPECT_FALSE(contains(r.out, "max_pool")) << r.out;
}

TEST(Check, WritesALogWithHeaderAndFooter) {
    const TemporaryFile log;
    const Ran r = run({"check", "--cases", "5", "--seed", "3", "--json", log.path.string()});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    const std::string text = file_text(log.path);
    EXPECT_EQ(text.find(R"({"type":"header",)"), 0U) << text;
    EXPECT_TRUE(contains(text, "{\"type\":\"footer\",\"complete\":true,\"cases\":")) << text;
}

TEST(Check, SaysWhatItWasAskedWhatItDidAndWhyAnswersWereDeclined) {
    const TemporaryFile log;
    const Ran r = run({"check", "--cases", "300", "--seed", "7", "--profile", "pytorch", "--op", "avg_pool",
                       "--vectors", "smoke", "--json", log.path.string()});
    EXPECT_TRUE(contains(r.out, "seed 7, generator " + std::to_string(generator_version) +
                                    ": 300 of 300 generated cases and "))
        << r.out;
    EXPECT_TRUE(contains(r.out, " declined: ")) << r.out;
    const std::string text = file_text(log.path);
    EXPECT_TRUE(contains(text, R"("seed":7,"cases":300,"profile":"pytorch","ops":["avg_pool"],"modes":[],)"
                               R"("dtypes":[],"vectors":"smoke","layers":0})"))
        << text;
    const std::size_t sums = text.find("\"complete\":true,"),
                      of_one = text.find("\"profile\":\"pytorch\",\"cases\":");
    ASSERT_NE(of_one, std::string::npos);
    EXPECT_EQ(text.substr(text.find("\"cases\":", sums)),
              text.substr(text.find("\"cases\":", of_one),
                          text.find('\n', of_one) - text.find("\"cases\":", of_one)) +
                  "\n");
}

TEST(Check, SaysHowFarItCameWhenInterrupted) {
    Program p({"check", "--cases", "100000000", "--vectors", "none"});
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    p.interrupt(SIGTERM);
    const std::string out = p.rest_of_output();
    EXPECT_TRUE(contains(out, "INTERRUPTED after ")) << out;
    EXPECT_TRUE(contains(out, " of 100000000 generated cases and 0 vectors")) << out;
    EXPECT_TRUE(contains(out, "conforms so far: ")) << out;
    EXPECT_EQ(p.exit_code(), 128 + SIGTERM);
}

TEST(Program, NamesWhatAnUnknownWordWasMeantToBeOrWhatThereIs) {
    const auto says = [](const std::vector<std::string>& words, const std::string& remedy) {
        const Ran r = run(words);
        EXPECT_EQ(r.exit_code, 2) << words.back();
        EXPECT_TRUE(contains(r.err, remedy)) << r.err;
    };
    says({"chekc"}, "did you mean 'check'?");
    says({"check", "--bakend", "reference"}, "did you mean '--backend'?");
    says({"check", "--op", "maxpool"}, "did you mean 'max_pool'?");
    says({"check", "--op", "convolution"}, "use one of max_pool, avg_pool, ");
    says({"check", "--mode", "backward"}, "use one of forward, jvp, vjp");
    says({"check", "--dtype", "bfloat"}, "use one of f64, f32, ");
    says({"check", "--profile", "pytroch"}, "did you mean 'pytorch'?");
    says({"check", "--backend", "tarch"}, "did you mean 'torch'?");
    says({"check", "--backend", "faulty:last_tie_win"}, "did you mean 'last_tie_wins'?");
    says({"mutants", "--only", "not_diveded"}, "did you mean 'not_divided'?");
    says({"laws", "--law", "adjontness"}, "did you mean 'adjointness'?");
}

/// Misbehaves in this way at every case.
std::string misbehaving(const std::string& mode) {
    const std::string here = __FILE__;
    return "cmd:python3 " + here.substr(0, here.rfind("cli/")) + "adapters/tests/misbehaves.py " + mode +
           " --every 1";
}

TEST(Interrupt, EndsTheWaitForAProcessThatHangs) {
    using namespace std::chrono;
    for (const auto& [command, signal] :
         {std::pair{"check", SIGINT}, {"check", SIGTERM}, {"fuzz", SIGTERM}}) {
        const TemporaryFile log;
        std::vector<std::string> arguments{command, "--backend", misbehaving("hangs-on")};
        if (signal == SIGINT) arguments.insert(arguments.end(), {"--json", log.path.string()});
        Program p(arguments);
        std::this_thread::sleep_for(milliseconds(2500));
        if (signal == SIGINT) { EXPECT_TRUE(contains(file_text(log.path), "header")); }
        const auto sent = steady_clock::now();
        p.interrupt(signal);
        const std::string out = p.rest_of_output();
        EXPECT_EQ(p.exit_code(), 128 + signal) << out;
        EXPECT_LT(steady_clock::now() - sent, seconds(2)) << command;
        EXPECT_TRUE(contains(out, "NOTHING JUDGED")) << out;
        EXPECT_FALSE(contains(out, "broke ")) << out;
        if (signal == SIGINT) { EXPECT_TRUE(contains(file_text(log.path), R"("complete":false)")); }
    }
}

TEST(Check, WarnsOfNamesThatNobodyKnows) {
    const Ran r = run({"check", "--backend", misbehaving("misspells"), "--cases", "5", "--vectors", "none"});
    EXPECT_TRUE(contains(
        r.err, "warning: misbehaves-misspells: capabilities.ops[0]: 'maxpool' is not known; did you mean"))
        << r.err;
    const Ran checked = run({"adapter", "check", "--backend", misbehaving("unknown-profile")});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_TRUE(contains(checked.out, "use one of onnx, pytorch, tiny_pool, torchlean")) << checked.out;
}

TEST(ExitCodes, ABackendThatDoesNotStartIsSixAndANameThatIsNoneIsTwo) {
    for (const auto& [arguments, code, said] :
         {std::tuple{std::vector<std::string>{"adapter", "check", "--backend", "cmd:./nothere"}, 6,
                     "./nothere could not be started: No such file or directory"},
          {{"check", "--backend", "cmd:./nothere"}, 6, "./nothere could not be started: No such file"},
          {{"backends", "--backend", "cmd:./nothere"}, 6, "./nothere could not be started: No such file"},
          {{"backends", "--backend", "nonsense"}, 2, "'nonsense' is not known"},
          {{"check", "--backend", "plugin:"}, 2, "'plugin:' is empty"}}) {
        const Ran r = run(arguments);
        EXPECT_EQ(r.exit_code, code) << said;
        EXPECT_TRUE(contains(r.out + r.err, said)) << r.out << r.err;
    }
}

TEST(Check, ShowsControlCharactersOfAnAdapterAndDoesNotPassThemOn) {
    const Ran r = run({"check", "--backend", misbehaving("paints"), "--cases", "2", "--vectors", "none"});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_TRUE(contains(r.out, "it said:\n\\x1b[2J")) << r.out;
    EXPECT_FALSE(contains(r.out + r.err, "\x1b"));
}

TEST(Check, GivesUpABackendThatNeverAnswersWithSix) {
    const Ran r = run({"check", "--backend", misbehaving("hangs"), "--deadline", "1", "--vectors", "none"});
    EXPECT_EQ(r.exit_code, 6) << r.out << r.err;
    EXPECT_TRUE(contains(r.err, "no answer 5 times in a row")) << r.err;
}

TEST(Check, GivesUpABackendThatOnlyDiesWithSixAndCountsWhatItWasAskedAlone) {
    const auto checked = [](const std::vector<std::string>& more) {
        std::vector<std::string> words{"check", "--vectors", "none", "--backend", misbehaving("exits")};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    const Ran few = checked({"--cases", "2"});
    EXPECT_EQ(few.exit_code, 1) << few.out << few.err;
    EXPECT_TRUE(contains(few.out, "NOTHING ANSWERED: 2 of 2 judged cases")) << few.out;
    const Ran many = checked({});
    EXPECT_EQ(many.exit_code, 6) << many.out << many.err;
    EXPECT_TRUE(contains(many.err, "keeps dying: it ended 100 times and never answered")) << many.err;
    const Ran capped = checked({"--cases", "60", "--restarts", "2"});
    EXPECT_EQ(capped.exit_code, 6);
    EXPECT_TRUE(contains(capped.err, "gave up after 2 of 60 generated cases and 0 vectors")) << capped.err;
    EXPECT_TRUE(contains(capped.out, "NOTHING ANSWERED: 2 of 2 judged cases")) << capped.out;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"fuzz"}, {"vectors", "run", "--smoke", "--dtype", "f32"}}) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"--restarts", "1", "--backend", misbehaving("exits")});
        EXPECT_EQ(run(all).exit_code, 6) << words.front();
    }
    // Before that, what it broke at is a finding.
    EXPECT_EQ(
        run({"vectors", "run", "--smoke", "--dtype", "f32", "--backend", misbehaving("exits")}).exit_code, 1);
}

TEST(Check, ShowsOfALongCaseItsBeginningAndHowLongItIs) {
    const Ran r = run({"check", "--cases", "300", "--backend", "faulty:cell_number_narrow"});
    EXPECT_TRUE(contains(r.out, " characters; --report or --json keep it whole)")) << r.out;
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 7000U);
}

/// Wrong at every seventh case that it is asked, whatever it is.
TEST(Check, OffersNoReplayOfWhatDoesNotHangOnTheCase) {
    const std::string here = __FILE__;
    const Ran r = run({"check", "--cases", "60", "--vectors", "none", "--backend",
                       "cmd:python3 " + here.substr(0, here.rfind("cli/")) +
                           "adapters/tests/misbehaves.py wrong-shape --by count --every 7"});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_TRUE(contains(r.out, "failed once and not again")) << r.out;
    const std::size_t at = r.out.find("failed once and not again");
    EXPECT_EQ(r.out.find("  again ", at), r.out.find("  again ", r.out.find("\n\n", at))) << r.out;
}

TEST(Check, CatchesALiar) {
    if (liars().empty()) return;
    const Ran r = run({"check", "--backend", "faulty:" + liars().front().name, "--cases", "200"});
    EXPECT_EQ(r.exit_code, 1) << r.out << r.err;
    EXPECT_TRUE(contains(r.out, "DEVIATES")) << r.out;
    EXPECT_TRUE(contains(r.out, "  case       {\"op\":")) << r.out;
}

TEST(Check, KeepsToTheOpsModesAndDtypesAskedForAmongLayersToo) {
    const TemporaryFile layers(R"([{"op":"max_pool","dtype":"f32","attrs":{"kernel":[2]},"shape":[1,1,4]},)"
                               R"({"op":"avg_pool","dtype":"f32","attrs":{"kernel":[2]},"shape":[1,1,4]}])");
    const auto checked = [&](const std::string& option, const std::string& value) {
        return run({"check", "--layers", layers.path.string(), option, value});
    };
    const Ran averages = checked("--op", "avg_pool");
    EXPECT_EQ(averages.exit_code, 0) << averages.err;
    EXPECT_FALSE(contains(averages.out, "max_pool")) << averages.out;
    EXPECT_TRUE(contains(averages.out, "avg_pool")) << averages.out;
    EXPECT_EQ(checked("--mode", "vjp").exit_code, 0);
    EXPECT_EQ(checked("--dtype", "f64").exit_code, 2);
}

/// A program that greets with these capabilities and then answers nothing, as a backend.
class Greeter {
public:
    explicit Greeter(const std::string& capabilities)
        : script_("read line\necho '{\"type\":\"hello\",\"protocol\":1,\"capabilities\":" + capabilities +
                  "}'\ncat >/dev/null\n") {}
    std::string name() const { return "cmd:sh " + script_.path.string(); }

private:
    TemporaryFile script_;
};

TEST(Check, CountsEveryCaseOfWhoDeclaresNothingAsNotCoveredAndGoesOn) {
    const Greeter nothing(R"({"ops":[]})");
    const Ran alone = run({"check", "--cases", "30", "--vectors", "none", "--backend", nothing.name()});
    EXPECT_EQ(alone.exit_code, 4) << alone.err;
    EXPECT_TRUE(contains(alone.out, "30 of 30 cases are not covered")) << alone.out;
    const Ran both = run({"check", "--cases", "30", "--vectors", "none", "--backend", nothing.name(),
                          "--backend", "reference"});
    EXPECT_TRUE(contains(both.out, "reference 1 under profile torchlean")) << both.out;
    const Ran vectors = run({"vectors", "run", "--smoke", "--backend", nothing.name()});
    EXPECT_EQ(vectors.exit_code, 4) << vectors.err;
    EXPECT_TRUE(contains(vectors.out, " not covered by what it declares, 0 under other policies"))
        << vectors.out;
    EXPECT_FALSE(contains(vectors.out, "  0 not covered")) << vectors.out;
    const Ran smoke = run({"check", "--cases", "30", "--vectors", "smoke", "--backend", nothing.name()});
    EXPECT_FALSE(contains(smoke.out, "30 of 30 cases are not covered")) << smoke.out;
    EXPECT_TRUE(contains(smoke.out, " cases are not covered")) << smoke.out;
    const Ran fuzzed = run({"fuzz", "--for", "60s", "--backend", nothing.name()});
    EXPECT_EQ(fuzzed.exit_code, 4) << fuzzed.err;
}

TEST(Check, NamesTheFileOfLayersThatIsNone) {
    const TemporaryFile layers("garbage");
    const Ran r = run({"check", "--layers", layers.path.string()});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_TRUE(contains(r.err, "poolproof: --layers '" + layers.path.string() + "': json: byte 0: "))
        << r.err;
}

TEST(Check, RefusesWhatItDoesNotKnow) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{"--backend", "nobody"},
                                                 {"--op", "median_pool"},
                                                 {"--mode", "backward"},
                                                 {"--dtype", "f8"},
                                                 {"--profile", "nobody"},
                                                 {"--cases", "0"},
                                                 {"--cases", "many"},
                                                 {"--seed", "-1"},
                                                 {"--json", "/nowhere/log"},
                                                 {"--vectors", "some"},
                                                 {"--op", "smooth_max_pool", "--dtype", "i8"},
                                                 {"reference"}}) {
        std::vector<std::string> arguments{"check"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Ran r = run(arguments);
        EXPECT_EQ(r.exit_code, 2) << more.front() << " " << more.back();
        EXPECT_EQ(r.out, "");
        EXPECT_EQ(r.err.find("poolproof: "), 0U) << r.err;
    }
}

TEST(Options, ThatAreUnknownRepeatedOrWithoutAValueAreRefused) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"oracle", "--nonsense"},
                                                      {"oracle", "--bits"},
                                                      {"oracle", "--bits", "9", "--bits", "9"},
                                                      {"oracle", "file"},
                                                      {"expect", "--bits", "9"},
                                                      {"expect", "file"},
                                                      {"explain", "-x"},
                                                      {"nonsense"},
                                                      {"--nonsense"}}) {
        const Ran r = run(arguments, maximum);
        EXPECT_EQ(r.exit_code, 2) << arguments.back();
        EXPECT_EQ(r.out, "") << arguments.back();
        EXPECT_FALSE(r.err.empty()) << arguments.back();
    }
}

/// Those that --help lists and this program itself has.
std::vector<std::string> command_names() {
    std::istringstream help(run({"--help"}).out);
    std::vector<std::string> names;
    std::string line;
    while (std::getline(help, line) && line != "commands:") {}
    while (std::getline(help, line) && line.starts_with("  ")) {
        const std::string name = line.substr(2, line.find(' ', 2) - 2);
        if (name != "test") names.push_back(name);  // the launcher's
    }
    return names;
}

TEST(Bench, MeasuresTheLayersThatOnlyNamesAndFindsThemWorse) {
    const TemporaryFile json;
    const Ran r =
        run({"bench", "--sweep", "--only", "sweep/4[45]/*", "--seconds", "0", "--json", json.path.string()});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    std::string rows = file_text(json.path);
    EXPECT_TRUE(contains(rows, "\"sweep/44/")) << rows;
    EXPECT_TRUE(contains(rows, "\"sweep/45/")) << rows;
    EXPECT_FALSE(contains(rows, "\"sweep/46/")) << rows;
    EXPECT_FALSE(contains(rows, "\"max_pool/")) << rows;

    const std::string figure = "\"ratio\":";
    const auto ratio = rows.find(figure);
    if (ratio == std::string::npos) GTEST_SKIP() << "without a rival there is no ratio to compare";
    rows.insert(ratio + figure.size(), "9999");  // much better it was
    const TemporaryFile former(rows);
    const Ran worse = run(
        {"bench", "--sweep", "--only", "sweep/4[45]/*", "--seconds", "0", "--compare", former.path.string()});
    EXPECT_EQ(worse.exit_code, 1) << worse.err;
    EXPECT_TRUE(contains(worse.out, "worse: sweep/44/")) << worse.out;
}

TEST(Bench, RefusesAPatternThatMatchesNothing) {
    for (const char* pattern : {"sweep/1/*", "nothing"}) {
        const Ran r = run({"bench", "--only", pattern});
        EXPECT_EQ(r.exit_code, 2) << pattern;
        EXPECT_TRUE(contains(r.err, pattern)) << r.err;
    }
}

TEST(Help, IsTheStoredBaselineForEveryCommand) {
    std::string text;
    const auto add = [&](const std::vector<std::string>& arguments) {
        const Ran r = run(arguments);
        EXPECT_EQ(r.exit_code, 0);
        EXPECT_EQ(r.err, "");
        text += "$ poolproof";
        for (const auto& a : arguments) text += " " + a;
        text += "\n" + r.out + "\n";
    };
    add({"--help"});
    const auto names = command_names();
    EXPECT_GE(names.size(), 5U);
    for (const auto& name : names) add({name, "--help"});
    const auto baseline = std::filesystem::path(__FILE__).parent_path() / "help.txt";
    if (const char* approve = std::getenv("POOLPROOF_APPROVE");
        approve != nullptr && std::string(approve) == "1")
        std::ofstream(baseline, std::ios::binary) << text;
    EXPECT_EQ(text, file_text(baseline)) << "if this is meant: POOLPROOF_APPROVE=1 ctest -R Help";
}

TEST(Version, IsOneLine) {
    const Ran r = run({"--version"});
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.out.find("poolproof "), 0U) << r.out;
    EXPECT_EQ(r.out.find('\n'), r.out.size() - 1);
    EXPECT_EQ(run({"--version", "now"}).exit_code, 2);
}

TEST(Help, IsAskedForInAnyPlaceAndGivenUnaskedWithTwo) {
    const Ran asked = run({"--help"});
    EXPECT_EQ(run({"-h"}).out, asked.out);
    EXPECT_EQ(run({"help"}).out, asked.out);
    EXPECT_EQ(run({"oracle", "--bits", "9", "-h"}).out, run({"oracle", "--help"}).out);
    const Ran unasked = run({});
    EXPECT_EQ(unasked.out, asked.out);
    EXPECT_EQ(unasked.exit_code, 2);
}

}  // namespace
}  // namespace poolproof
