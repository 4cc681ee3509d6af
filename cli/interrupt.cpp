// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <signal.h>
#include <atomic>

namespace poolproof::cli {

namespace {

std::atomic<int> came = 0;  // lock-free, so that a handler may write it

void note(int signal) {
    came = signal;
    ::signal(signal, SIG_DFL);
}

}  // namespace

void watch_for_interrupts() {
    struct sigaction action {};
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int interrupted() { return came; }

}  // namespace poolproof::cli
