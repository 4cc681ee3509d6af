// SPDX-License-Identifier: Apache-2.0
// fuzz, replay, reduce and mutants as their users meet them.
#include "cli/tests/program.hpp"

#include <poolproof/generate.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace poolproof {
namespace {

/// A folder of a test's own, gone after it.
class Folder {
public:
    explicit Folder(const std::string& name)
        : path_(std::filesystem::temp_directory_path() /
                ("poolproof-" + name + "-" + std::to_string(getpid()))) {
        std::filesystem::remove_all(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const std::string& file) const { return (path_ / file).string(); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

std::string contents(const std::string& path) {
    std::ifstream file(path);
    std::stringstream s;
    s << file.rdbuf();
    return s.str();
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

TEST(Fuzz, WritesOneReplayableFileForOneFault) {
    const Folder folder("fuzz");
    const Ran r =
        run({"fuzz", "--backend", "faulty:last_tie_wins", "--cases", "150", "--report", folder.path()});
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_NE(r.out.find("like last_tie_wins"), std::string::npos) << r.out;
    const std::string file = folder / "bucket-1.jsonl";
    EXPECT_FALSE(std::filesystem::exists(folder / "bucket-2.jsonl")) << r.out;
    const Ran again = run({"replay", file, "--backend", "faulty:last_tie_wins"});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_NE(again.out.find("\n  like "), std::string::npos) << again.out;
    EXPECT_NE(again.out.find("last_tie_wins"), std::string::npos) << again.out;
    EXPECT_EQ(run({"replay", file, "--backend", "reference"}).exit_code, 0);
}

TEST(Fuzz, SaysWhenMoreFailuresGiveABucketAnotherName) {
    const Folder folder("renamed");
    const Ran r =
        run({"fuzz", "--backend", "faulty:ceil_as_end_padding", "--cases", "400", "--report", folder.path()});
    const std::string now = r.out.substr(0, r.out.find(": "));
    EXPECT_NE(r.err.find(", is " + now + " by now\n"), std::string::npos) << r.err << r.out;
    EXPECT_NE(contents(folder / "bucket-1.jsonl").find("\"bucket\":\"" + now), std::string::npos);
}

TEST(Fuzz, GoesOnWhereItStoppedAndAddsUpToOneRun) {
    const Folder parts("parts"), whole("whole");
    const auto fuzz = [](const Folder& f, const char* cases) {
        return run({"fuzz", "--backend", "faulty:ceil_ignored", "--cases", cases, "--report", f.path()});
    };
    EXPECT_EQ(fuzz(parts, "60").exit_code, 1);
    const Ran second = fuzz(parts, "130"), once = fuzz(whole, "130");
    EXPECT_EQ(second.out.substr(second.out.find("DEVIATES:")), once.out.substr(once.out.find("DEVIATES:")));
    EXPECT_EQ(count(contents(parts / "fuzz.jsonl"), "\"type\":\"block\""), 2U);
    EXPECT_EQ(run({"fuzz", "--backend", "reference", "--cases", "10", "--report", parts.path()}).exit_code,
              2);
}

TEST(Fuzz, IsContentWithARightBackendAndATimeThatRunsOut) {
    const Folder folder("content");
    const Ran r = run({"fuzz", "--for", "300ms", "--op", "max_pool", "--report", folder.path()});
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_NE(contents(folder / "fuzz.jsonl").find("\"complete\":true"), std::string::npos);
    EXPECT_EQ(run({"fuzz", "--for", "soon"}).exit_code, 2);
    EXPECT_EQ(run({"fuzz", "--cases", "3", "--dtype", "i8"}).exit_code, 4);
}

TEST(Fuzz, AsksTheLawsInBetweenAndCountsWhatFailsAloneWithTheCases) {
    const Folder right("laws"), wrong("laws_wrong");
    const Ran r = run({"fuzz", "--laws", "--cases", "100", "--report", right.path()});
    EXPECT_EQ(r.exit_code, 0) << r.out << r.err;
    EXPECT_NE(r.out.find("laws: 7 questions, 0 kinds"), std::string::npos) << r.out;
    EXPECT_NE(contents(right / "fuzz.jsonl").find("\"questions\":7"), std::string::npos);
    EXPECT_EQ(run({"fuzz", "--cases", "200", "--report", right.path()}).exit_code, 2);
    const Ran bad = run(
        {"fuzz", "--laws", "--cases", "150", "--backend", "faulty:last_tie_wins", "--report", wrong.path()});
    EXPECT_EQ(bad.exit_code, 1) << bad.err;
    EXPECT_NE(bad.out.find("0 kinds of failures"), std::string::npos) << bad.out;
    EXPECT_FALSE(std::filesystem::exists(wrong / "bucket-2.jsonl")) << bad.out;
}

/// Whether a run says in one line that a file could not be written, and why, and exits as for bad input.
testing::AssertionResult names_the_full_disk(const Ran& r, const std::string& file) {
    const bool named = r.err.find(file) != std::string::npos;
    const bool reasoned = count(r.err, "No space left on device") == 1;
    if (r.exit_code == 2 && named && reasoned) return testing::AssertionSuccess();
    return testing::AssertionFailure() << r.exit_code << ": " << r.err;
}

TEST(FullDisk, LosesNoLogAndNoTableSilently) {
    EXPECT_TRUE(names_the_full_disk(
        run({"check", "--cases", "20", "--vectors", "none", "--json", "/dev/full"}), "/dev/full"));
    EXPECT_TRUE(names_the_full_disk(
        run({"mutants", "--cases", "20", "--only", "not_divided", "--out", "/dev/full"}), "/dev/full"));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    EXPECT_TRUE(
        names_the_full_disk(run({"vectors", "run", "--smoke", "--answers", "/dev/full"}), "/dev/full"));
}

TEST(FullDisk, EndsASearchWithItsFindingsAndNoCommandThatCannotWork) {
    const Folder folder("full");
    std::filesystem::create_directories(folder.path());
    std::filesystem::create_symlink("/dev/full", folder / "bucket-1.jsonl.unfinished");
    const Ran r =
        run({"fuzz", "--cases", "150", "--backend", "faulty:last_tie_wins", "--report", folder.path()});
    EXPECT_TRUE(names_the_full_disk(r, "bucket-1.jsonl"));
    EXPECT_NE(r.out.find("like last_tie_wins"), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("poolproof replay"), std::string::npos) << r.out;
}

TEST(Report, HoldsNothingOfAnEarlierRun) {
    const Folder folder("stale");
    const auto check = [&](const char* cases) {
        return run({"check", "--vectors", "none", "--cases", cases, "--backend", "faulty:last_tie_wins",
                    "--report", folder.path()});
    };
    EXPECT_EQ(check("150").exit_code, 1);
    EXPECT_TRUE(std::filesystem::exists(folder / "bucket-1.jsonl"));
    EXPECT_EQ(check("1").exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "bucket-1.jsonl"));
    EXPECT_EQ(contents(folder / "failures.jsonl"), "");
    EXPECT_EQ(run({"fuzz", "--cases", "10", "--report", folder.path()}).exit_code, 2);
}

TEST(Report, IsNotWrittenOverThatOfAnotherBackend) {
    const Folder folder("other_backend");
    const auto check = [&](const std::vector<std::string>& backends) {
        std::vector<std::string> words{"check", "--vectors", "none", "--cases", "150"};
        for (const std::string& b : backends) words.insert(words.end(), {"--backend", b});
        words.insert(words.end(), {"--report", folder.path()});
        return run(words);
    };
    EXPECT_EQ(check({"faulty:last_tie_wins"}).exit_code, 1);
    const std::string log = contents(folder / "log.jsonl");
    for (const auto& others :
         {std::vector<std::string>{}, {"reference"}, {"faulty:last_tie_wins", "reference"}}) {
        const Ran r = check(others);
        EXPECT_EQ(r.exit_code, 2);
        EXPECT_NE(r.err.find("holds the report of \"faulty:last_tie_wins\"; name another"), std::string::npos)
            << r.err;
    }
    EXPECT_EQ(contents(folder / "log.jsonl"), log);
    EXPECT_TRUE(std::filesystem::exists(folder / "bucket-1.jsonl"));
    std::ofstream(folder / "log.jsonl") << "{\"type\":\"header\",\"format\":1}\n";
    EXPECT_NE(check({}).err.find("backends that its header does not name"), std::string::npos);
}

TEST(Report, IsNotWrittenOverFilesOfOthers) {
    const Folder folder("others");
    std::filesystem::create_directories(folder.path());
    std::ofstream(folder / "bucket-1.jsonl") << "mine\n";
    for (const char* command : {"check", "fuzz"}) {
        const Ran r = run({command, "--cases", "10", "--report", folder.path()});
        EXPECT_EQ(r.exit_code, 2) << command;
        EXPECT_NE(r.err.find("this program did not leave there"), std::string::npos) << r.err;
    }
    EXPECT_EQ(contents(folder / "bucket-1.jsonl"), "mine\n");
}

TEST(Fuzz, ReplacesInItsOwnFolderNothingButTheSameRun) {
    const Folder folder("own_folder");
    std::filesystem::create_directories(folder.path());
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const auto fuzz = [](const char* backend) {
        return run({"fuzz", "--backend", backend, "--cases", "150"});
    };
    EXPECT_EQ(fuzz("reference").exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists("poolproof-fuzz"));
    EXPECT_EQ(fuzz("faulty:last_tie_wins").exit_code, 1);
    const std::string found = contents("poolproof-fuzz/bucket-1.jsonl");
    EXPECT_EQ(fuzz("faulty:last_tie_wins").exit_code, 1);
    EXPECT_EQ(contents("poolproof-fuzz/bucket-1.jsonl"), found);
    EXPECT_EQ(fuzz("faulty:not_divided").exit_code, 1);
    EXPECT_EQ(contents("poolproof-fuzz/bucket-1.jsonl"), found);
    EXPECT_NE(contents("poolproof-fuzz-2/bucket-1.jsonl"), found);
    const Ran other =
        run({"fuzz", "--backend", "faulty:not_divided", "--cases", "150", "--report", "poolproof-fuzz"});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_NE(other.err.find("last_tie_wins 1, seed 1, profile "), std::string::npos) << other.err;
    EXPECT_NE(other.err.find("--report"), std::string::npos) << other.err;
    std::filesystem::current_path(before);
}

TEST(Fuzz, PublishesItsFeaturesWithAllPairsAndSaysHowManyItMet) {
    const Ran list = run({"fuzz", "--features", "--profile", "onnx"});
    EXPECT_EQ(list.exit_code, 0) << list.err;
    const std::string n = std::to_string(feature_count);
    EXPECT_TRUE(list.out.starts_with(n + " features,")) << list.out.substr(0, 200);
    EXPECT_EQ(count(list.out, "\n"), feature_count * (feature_count - 1) / 2 + feature_count + 5);
    EXPECT_NE(list.out.find(
                  "  constant                  one_hot                   all values are one and the same\n"),
              std::string::npos);
    EXPECT_NE(list.out.find("  op_avg_pool               divisor_override          "), std::string::npos);
    const Folder folder("pairs");
    const Ran r = run({"fuzz", "--cases", "50", "--report", folder.path()});
    EXPECT_NE(r.err.find(" valid pairs of features met"), std::string::npos) << r.err;
}

TEST(Replay, PassesOverWhatIsSaidAboutCasesAndNamesABadLine) {
    const std::string good = R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[1,2]}})";
    EXPECT_EQ(run({"replay", "-"}, good + "\n{\"type\":\"about\"}\n" + good + "\n").exit_code, 0);
    const Ran bad = run({"replay", "-"}, good + "\nnonsense\n");
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_NE(bad.err.find("line 2"), std::string::npos) << bad.err;
    EXPECT_EQ(run({"replay", "-"}, "").exit_code, 2);
    EXPECT_EQ(run({"replay"}).exit_code, 2);
}

TEST(Replay, RefusesABrokenLineAboutACaseAndAFolder) {
    const std::string good = R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[1,2]}})";
    const Ran cut = run({"replay", "-"}, good + "\n{\"type\":\"about\",\"buck\n");
    EXPECT_EQ(cut.exit_code, 2);
    EXPECT_NE(cut.err.find("line 2"), std::string::npos) << cut.err;
    const Folder folder("replayed");
    std::filesystem::create_directories(folder.path());
    for (const char* command : {"replay", "reduce"}) {
        const Ran r = run({command, folder.path()});
        EXPECT_EQ(r.exit_code, 2);
        EXPECT_NE(r.err.find("is a folder"), std::string::npos) << r.err;
    }
}

TEST(Reduce, KeepsTheFactsOfACaseThatFuzzFiled) {
    const Folder folder("facts");
    const std::string backend = "faulty:last_tie_wins";
    ASSERT_EQ(run({"fuzz", "--cases", "150", "--seed", "5", "--backend", backend, "--report", folder.path()})
                  .exit_code,
              1);
    const std::string filed = contents(folder / "bucket-1.jsonl");
    const auto facts = [](const std::string& text) {
        const std::size_t at = text.find("\"cases\":");
        return text.substr(at, text.find(",\"reproduced\"") - at);
    };
    const Ran r = run({"reduce", folder / "bucket-1.jsonl", "--backend", backend});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    EXPECT_EQ(facts(r.out), facts(filed));
    EXPECT_NE(facts(filed), "\"cases\":1,\"first\":0");
    EXPECT_NE(r.out.find("\"seed\":5,\"generator\":" + std::to_string(generator_version)), std::string::npos);
}

TEST(Replay, JudgesACaseThatMustBeRejected) {
    const std::string invalid =
        R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[2],"data":[1,2]}})";
    EXPECT_EQ(run({"replay", "-"}, invalid + "\n").exit_code, 0);
}

TEST(Reduce, PrintsTheSmallestCaseAsAFileThatReplays) {
    const std::string large =
        R"({"op":"avg_pool","dtype":"f32","attrs":{"kernel":[2,2],"stride":[1,1]},"input":)"
        R"({"shape":[2,3,3],"data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]}})";
    const Ran r = run({"reduce", "-", "--backend", "faulty:not_divided"}, large + "\n");
    ASSERT_EQ(r.exit_code, 0) << r.err;
    EXPECT_NE(r.out.find("\"fault\":\"not_divided\""), std::string::npos) << r.out;
    EXPECT_LT(r.out.find('\n'), 400U) << r.out;
    EXPECT_EQ(run({"replay", "-", "--backend", "faulty:not_divided"}, r.out).exit_code, 1);
    EXPECT_EQ(run({"reduce", "-", "--backend", "reference"}, large + "\n").exit_code, 4);
}

TEST(Check, ShrinksAndExplainsItsFirstFailuresAndLeavesItsTotalsAlone) {
    const Folder folder("explained");
    const std::vector<std::string> words{"check",     "--backend", "faulty:last_tie_wins",
                                         "--vectors", "none",      "--cases",
                                         "150",       "--report",  folder.path()};
    const Ran r = run(words);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_NE(r.out.find("like last_tie_wins"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("\n  again      poolproof replay " + folder / "bucket-1.jsonl"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(folder / "bucket-2.jsonl")) << r.out;
    EXPECT_EQ(run({"replay", folder / "bucket-1.jsonl", "--backend", "faulty:last_tie_wins"}).exit_code, 1);
    EXPECT_EQ(run({"replay", folder / "bucket-1.jsonl"}).exit_code, 0);
    const std::size_t at = r.out.find("\nDEVIATES: ");
    ASSERT_NE(at, std::string::npos);
    const std::string failures = contents(folder / "failures.jsonl");
    EXPECT_EQ(r.out.substr(at + 11, r.out.find(' ', at + 11) - at - 11),
              std::to_string(count(failures, "\n")));
}

TEST(Laws, HoldOfTheReferenceAndNameTheOneThatIsAsked) {
    const Ran right = run({"laws", "--cases", "60", "--law", "slices_alone", "--law", "scaling"});
    EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
    EXPECT_EQ(count(right.out, "slices_"), 1U);
    const Ran wrong = run({"laws", "--cases", "60", "--backend", "faulty:not_divided", "--op", "avg_pool"});
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_NE(wrong.out.find("DEVIATES"), std::string::npos);
    EXPECT_EQ(run({"laws", "--law", "nonesuch"}).exit_code, 2);
    EXPECT_EQ(run({"laws", "--law", "indices_and_values", "--op", "avg_pool"}).exit_code, 4);
    EXPECT_NE(run({"laws", "--list"}).out.find("  adjointness "), std::string::npos);
}

TEST(Laws, ShowBrokenLawsBeforeWhatIsWrongByItselfAndKeepAllInALog) {
    const Folder folder("laws_log");
    std::filesystem::create_directories(folder.path());
    const std::string log = folder / "laws.jsonl";
    // Its JVP and its VJP are no longer of one matrix.
    const Ran r = run({"laws", "--cases", "400", "--backend", "faulty:tangent_not_divided", "--json", log});
    EXPECT_EQ(r.exit_code, 1) << r.out;
    const std::size_t broken = r.out.find("break their law:"), wrong = r.out.find("is wrong by itself:");
    ASSERT_NE(broken, std::string::npos) << r.out;
    EXPECT_LT(broken, wrong);
    EXPECT_NE(r.out.find(" law broken "), std::string::npos);
    const std::string text = contents(log);
    EXPECT_TRUE(text.starts_with("{\"type\":\"header\",\"format\":1,\"command\":\"laws\"")) << text;
    EXPECT_GT(count(text, "\"broken\":true"), 0U);
    EXPECT_EQ(count(text, "{\"type\":\"law\""), count(run({"laws", "--list"}).out, "\n"));
    EXPECT_EQ(count(text, "\"type\":\"footer\",\"complete\":true,\"questions\":400,"), 1U) << text;
}

TEST(Mutants, SayWhichLiarsAreKilledAndWhichSurvive) {
    const Folder folder("mutants");
    std::filesystem::create_directories(folder.path());
    const std::string table = folder / "STRENGTH.md";
    const Ran r = run({"mutants", "--only", "not_divided", "--only", "seed_zero", "--out", table});
    EXPECT_EQ(r.exit_code, 0) << r.out;
    EXPECT_NE(r.out.find("2 of 2 liars killed"), std::string::npos) << r.out;
    EXPECT_NE(contents(table).find("| `seed_zero` | torchlean | M1 | vectors | "), std::string::npos);
    EXPECT_NE(r.out.find("2 by the vectors, 2 by generated cases, 0 by a law alone"), std::string::npos)
        << r.out;
    ASSERT_EQ(run({"mutants", "--vectors", "none", "--only", "seed_zero", "--out", table}).exit_code, 0);
    EXPECT_NE(contents(table).find("| `seed_zero` | torchlean | M1 | generated cases |  | "),
              std::string::npos);
    const Ran survivor =
        run({"mutants", "--only", "same_ignores_dilation", "--cases", "1", "--vectors", "none"});
    EXPECT_EQ(survivor.exit_code, 1);
    EXPECT_NE(survivor.out.find("survived: same_ignores_dilation"), std::string::npos) << survivor.out;
}

}  // namespace
}  // namespace poolproof
