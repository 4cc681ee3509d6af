// SPDX-License-Identifier: Apache-2.0
#include "backends/child/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <thread>

namespace poolproof::child {

namespace {

constexpr int term_milliseconds = 100;  // what a process has to put things in order once it is asked to end

struct Pipe {
    Descriptor read, write;
};

std::optional<Pipe> pipe_pair() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(fds[0]), Descriptor(fds[1])};
}

/// What a child may see of our environment: what programs and language runtimes need to find themselves, and
/// the settings of their thread pools and devices.
bool passed_on(std::string_view variable) {
    static constexpr std::string_view names[] = {
        "PATH=",     "HOME=", "USER=",   "LOGNAME=", "SHELL=",       "LANG=",
        "LANGUAGE=", "TZ=",   "TMPDIR=", "TERM=",    "VIRTUAL_ENV=", "PYTHONPATH="};
    static constexpr std::string_view families[] = {"LC_",
                                                    "LD_LIBRARY_",
                                                    "OMP_",
                                                    "MKL_",
                                                    "OPENBLAS_",
                                                    "CUDA_",
                                                    "ROCM_",
                                                    "HIP_",
                                                    "JAX_",
                                                    "XLA_",
                                                    "TF_",
                                                    "TORCH",
                                                    "NODE_",
                                                    "JAVA_",
                                                    "CONDA",
                                                    "ONEDNN_",
                                                    "ASAN_",
                                                    "UBSAN_",
                                                    "POOLPROOF_ADAPTER_"};
    const auto starts = [&](std::string_view prefix) { return variable.substr(0, prefix.size()) == prefix; };
    return std::any_of(std::begin(names), std::end(names), starts) ||
           std::any_of(std::begin(families), std::end(families), starts);
}

std::vector<std::string> environment() {
    std::vector<std::string> r;
    for (char** e = environ; *e != nullptr; ++e)
        if (passed_on(*e)) r.emplace_back(*e);
    r.emplace_back("POOLPROOF_FRAMES=3,4");
    r.emplace_back("PYTHONUNBUFFERED=1");
    r.emplace_back("PYTHONHASHSEED=0");
    return r;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> r;
    r.reserve(strings.size() + 1);
    for (std::string& s : strings) r.push_back(s.data());
    r.push_back(nullptr);
    return r;
}

/// Between fork and exec only calls that are safe there: descriptors 0 to 4 become the given ones, the sixth
/// takes why there is no program to become, all others are closed, and signals are as a shell would leave
/// them.
[[noreturn]] void become(const std::array<int, 6>& descriptors, char* const* words, char* const* variables,
                         pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    std::array<int, 6> moved{};
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = fcntl(descriptors[k], F_DUPFD, 16);
    for (std::size_t k = 0; k < moved.size(); ++k) dup2(moved[k], static_cast<int>(k));
    close_range(moved.size(), ~0U, 0);
    constexpr int complaint = 5;
    fcntl(complaint, F_SETFD, FD_CLOEXEC);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execvpe(words[0], words, variables);
    const int why = errno;
    _exit(write(complaint, &why, sizeof why) > 0 ? 127 : 126);
}

/// Waits until the child is another program; what kept it from that, if so.
std::optional<int> complaint_from(Pipe& pipe) {
    pipe.write = Descriptor();
    int why = 0;
    ssize_t n = 0;
    while ((n = read(pipe.read.get(), &why, sizeof why)) < 0 && errno == EINTR) {}
    return n == sizeof why ? std::optional(why) : std::nullopt;
}

/// The leaders that are running.
std::set<pid_t>& leaders() {
    static std::set<pid_t> all;
    return all;
}

/// The children that are ours by adoption. The list may lack some while others end.
std::vector<pid_t> orphans() {
    std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
    std::vector<pid_t> r(std::istream_iterator<pid_t>(children), {});
    std::erase_if(r, [](pid_t child) { return leaders().count(child) != 0; });
    return r;
}

/// Ends what backends left behind in sessions of their own, and what that leaves behind in turn.
void end_orphans() {
    constexpr int most_rounds = 1000;
    int adopting = 0;
    if (prctl(PR_GET_CHILD_SUBREAPER, &adopting) != 0 || adopting == 0) return;
    auto left = orphans();
    for (int round = 0; !left.empty() && round < most_rounds; ++round, left = orphans()) {
        for (const pid_t child : left) kill(child, SIGKILL);
        for (const pid_t child : left) waitpid(child, nullptr, 0);
    }
}

std::string described(int status) {
    if (WIFEXITED(status)) return "exited with " + std::to_string(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    const char* name = strsignal(signal);
    return "was killed by signal " + std::to_string(signal) + " (" + (name != nullptr ? name : "unknown") +
           ")";
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ >= 0) close(fd_);
}

Checked<Process> Process::start(const std::vector<std::string>& command) {
    signal(SIGPIPE, SIG_IGN);
    auto in = pipe_pair(), out = pipe_pair(), err = pipe_pair(), to = pipe_pair(), from = pipe_pair(),
         complaint = pipe_pair();
    const auto refused = [&](const char* what) {
        return Rejection{"backend", command.front() + ": " + what + ": " + std::strerror(errno),
                         "free descriptors or processes and try again"};
    };
    if (!in || !out || !err || !to || !from || !complaint) return refused("no pipe");
    std::vector<std::string> words = command, variables = environment();
    const auto word_pointers = pointers(words), variable_pointers = pointers(variables);
    const std::array<int, 6> theirs{in->read.get(), out->write.get(),  err->write.get(),
                                    to->read.get(), from->write.get(), complaint->write.get()};
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) return refused("no process");
    if (pid == 0) become(theirs, word_pointers.data(), variable_pointers.data(), parent);
    setpgid(pid, pid);  // whichever of the two comes first
    if (const auto why = complaint_from(*complaint)) {
        waitpid(pid, nullptr, 0);
        return Rejection{"backend", command.front() + " could not be started: " + std::strerror(*why),
                         "name a program that can be run"};
    }
    leaders().insert(pid);
    Process p;
    p.pid_ = pid;
    p.in = std::move(in->write);
    p.out = std::move(out->read);
    p.err = std::move(err->read);
    p.frames_in = std::move(to->write);
    p.frames_out = std::move(from->read);
    for (const int fd : {p.in.get(), p.out.get(), p.err.get(), p.frames_in.get(), p.frames_out.get()})
        fcntl(fd, F_SETFL, O_NONBLOCK);
    for (const int fd : {p.in.get(), p.out.get(), p.frames_in.get(), p.frames_out.get()})
        fcntl(fd, F_SETPIPE_SZ, 1 << 20);
    return p;
}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(in, other.in);
    std::swap(out, other.out);
    std::swap(err, other.err);
    std::swap(frames_in, other.frames_in);
    std::swap(frames_out, other.frames_out);
    std::swap(pid_, other.pid_);
    std::swap(ended_, other.ended_);
    return *this;
}

Process::~Process() { stop(0); }

std::optional<std::string> Process::ended() {
    if (ended_ || pid_ < 0) return ended_;
    int status = 0;
    const pid_t got = waitpid(pid_, &status, WNOHANG);
    if (got == pid_) ended_ = described(status);
    return ended_;
}

std::optional<std::string> Process::ended_within(int milliseconds) {
    for (int waited = 0; !ended() && waited < milliseconds; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ended_;
}

void Process::stop(int grace_milliseconds) {
    if (pid_ < 0) return;
    in.reset();
    frames_in.reset();
    if (!ended_within(grace_milliseconds)) {
        kill(-pid_, SIGTERM);
        ended_within(term_milliseconds);
    }
    kill(-pid_, SIGKILL);  // the leader if it is still there, and whatever it left behind in its group
    if (!ended_) {
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
        ended_ = described(status);
    }
    leaders().erase(pid_);
    end_orphans();
    pid_ = -1;
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

Checked<std::vector<std::string>> words_of(const std::string& command) {
    wordexp_t expanded{};
    const int code = wordexp(command.c_str(), &expanded, WRDE_NOCMD);
    std::vector<std::string> words;
    if (code == 0)
        for (std::size_t k = 0; k < expanded.we_wordc; ++k) words.emplace_back(expanded.we_wordv[k]);
    if (code == 0 || code == WRDE_NOSPACE) wordfree(&expanded);
    if (!words.empty()) return words;
    return Rejection{
        "backend", "'cmd:" + command + "' is not a command line",
        "write cmd:PROGRAM ARGS, quoted as for a shell, without pipes, redirections or substitutions"};
}

}  // namespace poolproof::child
