// SPDX-License-Identifier: Apache-2.0
// How far a run is, on standard error.
#pragma once

#include <poolproof/tensor.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace poolproof::cli {

/// One line on a terminal, elsewhere a line every half a minute; also while a backend does not answer.
class Progress {
public:
    Progress(std::string backend, Index cases);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    void at(Index done, Index bad) {
        done_ = done;
        bad_ = bad;
    }

private:
    void tell_now_and_then();

    const std::string backend_;
    const Index cases_;
    const bool terminal_;
    std::atomic<Index> done_ = 0, bad_ = 0;
    std::mutex mutex_;
    std::condition_variable end_;
    bool ended_ = false;
    std::thread teller_;
};

}  // namespace poolproof::cli
