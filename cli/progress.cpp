// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <unistd.h>
#include <chrono>
#include <cstdio>

namespace poolproof::cli {

Progress::Progress(std::string backend, Index cases)
    : backend_(std::move(backend)),
      cases_(cases),
      terminal_(isatty(STDERR_FILENO) == 1),
      teller_([this] { tell_now_and_then(); }) {}

Progress::~Progress() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    end_.notify_one();
    teller_.join();
    if (terminal_) std::fprintf(stderr, "\r\033[K");
}

void Progress::tell_now_and_then() {
    const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(30'000);
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, pause, [this] { return ended_; }))
        std::fprintf(stderr, "%spoolproof: %s: %lld of %lld cases, %lld failing%s", terminal_ ? "\r" : "",
                     backend_.c_str(), static_cast<long long>(done_), static_cast<long long>(cases_),
                     static_cast<long long>(bad_), terminal_ ? " " : "\n");
}

}  // namespace poolproof::cli
