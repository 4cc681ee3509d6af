// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.hpp"

#include <signal.h>

namespace poolproof::cli {

namespace {

volatile sig_atomic_t came = 0;

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
