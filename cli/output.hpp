// SPDX-License-Identifier: Apache-2.0
// Standard output. What is lost of it, as on a full disk, is named on standard error as soon as it is known,
// and must not pass for success.
#pragma once

#include <poolproof/rejection.hpp>

#include <string>

namespace poolproof::cli {

/// One line on standard output, at once: whoever asks a line at a time waits for it.
void print_line(const std::string& text);

/// Keeps the numbers of standard streams that are closed from files that are opened later. To be called
/// before any is.
void hold_standard_streams();

/// Closes standard output. The exit code of the program: that of its command, but not success where output
/// was lost.
int with_outputs_checked(int code);

}  // namespace poolproof::cli
