// SPDX-License-Identifier: Apache-2.0
// Output that is lost and input that cannot be read, through a shell, which can close streams and name
// devices.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace poolproof {
namespace {

struct Told {
    int exit_code = 0;
    std::string errors;
};

/// The program, as the shell's word `$p`, with one case in the file `$c`; what it says on standard error.
Told shell(const std::string& line) {
    const std::string all =
        "p='" POOLPROOF_PROGRAM
        "'; c=$(mktemp); trap 'rm -f \"$c\"' EXIT; "
        R"(echo '{"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[1,2]}}' > "$c"; { )" +
        line + "; } 2>&1";
    std::FILE* pipe = popen(all.c_str(), "r");
    Told r;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) r.errors += static_cast<char>(c);
    const int status = pclose(pipe);
    r.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return r;
}

TEST(LostOutput, IsNamedWithItsReasonAndIsNoSuccess) {
    for (const std::string command :
         {"oracle", "expect", "check --cases 20", "replay -", "explain", "--help"}) {
        const Told r = shell("\"$p\" " + command + " < \"$c\" > /dev/full");
        EXPECT_EQ(r.exit_code, 2) << command;
        EXPECT_EQ(r.errors, "poolproof: standard output cannot be written: No space left on device\n")
            << command;
    }
}

TEST(LostOutput, IsThatOfJudgeToo) {
    const Told r = shell(R"(echo '{"rejected":"no"}' > "$c.a"; echo '{"op":"max_pool"}' | )"
                         R"("$p" judge --answers "$c.a" > /dev/full; code=$?; rm "$c.a"; exit $code)");
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_EQ(r.errors, "poolproof: standard output cannot be written: No space left on device\n");
}

TEST(LostOutput, IsWhatWouldHaveGoneToAClosedStream) {
    EXPECT_EQ(shell(R"("$p" oracle < "$c" >&-)").exit_code, 2);
    EXPECT_EQ(shell(R"("$p" check --cases 20 --json "$c" >&-; code=$?; head -c 16 "$c"; exit $code)").errors,
              "poolproof: standard output cannot be written: Bad file descriptor\n{\"type\":\"header\"");
}

TEST(LostOutput, OfALogIsNamed) {
    const Told r = shell(R"("$p" check --cases 20 --json /dev/full > /dev/null)");
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_EQ(
        r.errors,
        "poolproof: --json: '/dev/full' cannot be written: No space left on device; name a place that can, "
        "with room on the disk\n");
}

TEST(LostOutput, DoesNotHideADeviation) {
    const Told r = shell(R"("$p" check --cases 200 --backend faulty:last_tie_gets_gradient > /dev/full)");
    EXPECT_EQ(r.exit_code, 1) << r.errors;
}

TEST(LostOutput, ToAReaderWhoLeftEndsTheProgramBySigpipe) {
    std::signal(SIGPIPE, SIG_DFL);
    const Told r =
        shell(R"(yes '{"op":"max_pool"}' | { "$p" oracle; echo $? >&2; } | head -n 1 > /dev/null)");
    EXPECT_EQ(r.errors, "141\n");
}

TEST(Input, ThatCannotBeReadIsNamedAndIsNoSuccess) {
    for (const char* command :
         {"\"$p\" oracle < /tmp", "\"$p\" expect < /tmp", "\"$p\" judge --answers \"$c\" < /tmp"}) {
        const Told r = shell(command);
        EXPECT_EQ(r.exit_code, 2) << command;
        EXPECT_NE(r.errors.find("cannot be read: Is a directory"), std::string::npos) << r.errors;
    }
    EXPECT_NE(shell(R"("$p" replay /tmp)").errors.find("is a folder"), std::string::npos);
    EXPECT_EQ(shell(R"("$p" oracle <&-)").exit_code, 2);
    EXPECT_EQ(shell(R"("$p" vectors add /tmp > /dev/null)").exit_code, 2);
}

}  // namespace
}  // namespace poolproof
