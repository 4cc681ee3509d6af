// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include "cli/command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace poolproof::cli {

namespace {

/// The names of what was lost.
std::vector<std::string>& lost() {
    static std::vector<std::string> names;
    return names;
}

/// Says so, once for each name. An `error` of 0 is one that came unseen.
void note_lost(const std::string& name, int error) {
    if (std::find(lost().begin(), lost().end(), name) != lost().end()) return;
    lost().push_back(name);
    std::fprintf(stderr, "poolproof: %s cannot be written: %s\n", name.c_str(),
                 error != 0 ? std::strerror(error) : "some of it was lost");
}

constexpr const char* standard_output = "standard output";

}  // namespace

void print_line(const std::string& text) {
    errno = 0;
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) note_lost(standard_output, errno);
}

/// They are opened the wrong way round, so that their use fails as it would have without them.
void hold_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)
            static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int with_outputs_checked(int code) {
    const bool failed = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fclose(stdout) != 0 || failed) note_lost(standard_output, errno);
    return code == Exit::ok && !lost().empty() ? Exit::bad_input : code;
}

}  // namespace poolproof::cli
