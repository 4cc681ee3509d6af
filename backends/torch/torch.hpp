// SPDX-License-Identifier: Apache-2.0
// PyTorch under test: cases through LibTorch's eager calls on the CPU.
#pragma once

#include <poolproof/backend.hpp>

namespace poolproof::backends {

/// What a PyTorch user would call (see calls.hpp), in PyTorch's conventions whatever the case's profile and
/// policy say. Declines what `torch_declaration` does not cover.
Observation run_torch(const Case& c);

/// Which op answers in which mode, format and rank is found out by calling it: releases differ.
const Declaration& torch_declaration();

}  // namespace poolproof::backends
