// SPDX-License-Identifier: Apache-2.0
// Interrupts end a run between two cases, or while one is waited for: what was done is written.
#pragma once

namespace poolproof::cli {

/// From here on SIGINT and SIGTERM are only noted; a second one ends the program at once.
void watch_for_interrupts();

/// The signal that came, or 0.
int interrupted();

}  // namespace poolproof::cli
