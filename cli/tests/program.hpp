// SPDX-License-Identifier: Apache-2.0
// The real program as a child with pipes for all three streams.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace poolproof {

class Program {
public:
    explicit Program(const std::vector<std::string>& arguments) {
        std::signal(SIGPIPE, SIG_IGN);
        std::array<std::array<int, 2>, 3> pipes{};
        for (auto& p : pipes)
            if (pipe(p.data()) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ < 0) throw std::runtime_error("no child");
        if (child_ == 0) {
            dup2(pipes[0][0], STDIN_FILENO);
            dup2(pipes[1][1], STDOUT_FILENO);
            dup2(pipes[2][1], STDERR_FILENO);
            for (const auto& p : pipes) close(p[0]), close(p[1]);
            std::vector<char*> argv{const_cast<char*>(POOLPROOF_PROGRAM)};
            for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
            argv.push_back(nullptr);
            execv(POOLPROOF_PROGRAM, argv.data());
            _exit(127);
        }
        close(pipes[0][0]), close(pipes[1][1]), close(pipes[2][1]);
        in_.reset(fdopen(pipes[0][1], "w"));
        out_.reset(fdopen(pipes[1][0], "r"));
        err_.reset(fdopen(pipes[2][0], "r"));
    }

    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (child_ > 0) exit_code();
    }

    void write(const std::string& text) {
        std::fwrite(text.data(), 1, text.size(), in_.get());
        std::fflush(in_.get());
    }
    void end_input() { in_.reset(); }

    void signal(int number) { kill(child_, number); }

    /// Without its newline; empty at the end.
    std::string line() {
        std::string s;
        for (int c = 0; (c = std::fgetc(out_.get())) != EOF && c != '\n';) s += static_cast<char>(c);
        return s;
    }
    std::string rest_of_output() { return rest(out_.get()); }
    std::string errors() { return rest(err_.get()); }

    /// Ends the input, and waits.
    int exit_code() {
        end_input();
        int status = 0;
        waitpid(std::exchange(child_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

private:
    struct Close {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    using Stream = std::unique_ptr<std::FILE, Close>;

    static std::string rest(std::FILE* f) {
        std::string s;
        for (int c = 0; (c = std::fgetc(f)) != EOF;) s += static_cast<char>(c);
        return s;
    }

    pid_t child_ = -1;
    Stream in_, out_, err_;
};

struct Ran {
    int exit_code = 0;
    std::string out, err;
};

/// Runs the program to its end.
inline Ran run(const std::vector<std::string>& arguments, const std::string& input = "") {
    Program p(arguments);
    Ran r;
    std::thread writer([&] {
        p.write(input);
        p.end_input();
    });
    std::thread errors([&] { r.err = p.errors(); });
    r.out = p.rest_of_output();
    writer.join();
    errors.join();
    r.exit_code = p.exit_code();
    return r;
}

}  // namespace poolproof
