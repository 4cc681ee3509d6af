// SPDX-License-Identifier: Apache-2.0
#include "reference/workers.hpp"

#include <unistd.h>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace poolproof::reference {

namespace {

using Part = std::function<void(int)>;

/// Threads that wait for a job, do one part of it each, and wait again; until the process ends.
class Crew {
public:
    /// Whether there are threads for all parts but the first.
    bool hire(int parts) {
        try {
            while (static_cast<int>(threads_.size()) + 1 < parts) {
                const int k = static_cast<int>(threads_.size()) + 1;
                threads_.emplace_back([this, k, seen = job_] { serve(k, seen); });
            }
        } catch (const std::system_error&) { return false; }
        return true;
    }

    void run(int parts, const Part& part) {
        {
            const std::lock_guard lock(mutex_);
            part_ = &part;
            parts_ = parts;
            unfinished_ = parts - 1;
            failure_ = nullptr;
            ++job_;
        }
        begin_.notify_all();
        attempt(part, 0);
        std::unique_lock lock(mutex_);
        end_.wait(lock, [&] { return unfinished_ == 0; });
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void serve(int k, std::uint64_t seen) {
        std::unique_lock lock(mutex_);
        for (;;) {
            begin_.wait(lock, [&] { return job_ != seen; });
            seen = job_;
            if (k >= parts_) continue;
            const Part& part = *part_;
            lock.unlock();
            attempt(part, k);
            lock.lock();
            if (--unfinished_ == 0) end_.notify_one();
        }
    }

    void attempt(const Part& part, int k) {
        try {
            part(k);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
        }
    }

    std::mutex mutex_;
    std::condition_variable begin_, end_;
    std::vector<std::thread> threads_;
    const Part* part_ = nullptr;
    int parts_ = 0, unfinished_ = 0;
    std::uint64_t job_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

void in_workers(int parts, const Part& part) {
    static std::mutex busy;
    static Crew& crew = *new Crew;
    // A process forked from this one has the crew's memory but none of its threads.
    static const pid_t home = getpid();
    const std::unique_lock lock(busy, std::try_to_lock);
    if (lock && home == getpid() && crew.hire(parts)) return crew.run(parts, part);
    for (int k = 0; k < parts; ++k) part(k);
}

}  // namespace poolproof::reference
