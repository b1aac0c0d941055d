// Runs the threads of one block: each is a fiber, and a warp is 32 of them that take turns.
// Barriers and shuffles end a turn; in a random order, accesses may do so too.
#pragma once

#include <algorithm>
#include <cstdio>
#include <utility>

#include "fiber.h"
#include "interface.h"
#include "memory.h"

namespace mt {

// A source of random orders; splitmix64.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    template <class T>
    void shuffle(std::vector<T>& values) {
        for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[next() % i]);
    }

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

  private:
    uint64_t state_;
};

template <class T>
std::vector<T> ascending(T count) {
    std::vector<T> values(count);
    for (T i = 0; i < count; ++i) values[i] = i;
    return values;
}

enum class Wait { nothing, barrier, warp, end };

struct Thread {
    Fiber fiber;
    Wait wait = Wait::nothing;
    int line = 0;  // of the barrier or shuffle where it waits
    MtShuffle shuffle = MtShuffle::none;
    unsigned mask = 0;
    unsigned long long bits = 0;  // what it offers, then what it gets
    int operand = 0, width = 32;
};

inline Watch watch;
inline std::vector<Thread> threads;  // of the block
inline Thread* running = nullptr;
inline void (*body)() = nullptr;        // what each thread does
inline uint32_t poison = 0;             // undefined values are made of it
inline Random* random_order = nullptr;  // draws the order of warps and lanes; none: ascending
inline bool interrupted = false;        // a thread was, since its warp was last looked at

inline unsigned thread_count() {
    return static_cast<unsigned>(threads.size());
}

inline bool names(unsigned mask, unsigned lane) {
    return mask >> lane & 1;
}

// --- threads -------------------------------------------------------------------------------------

inline void thread_main() {
    body();
    watch.settle();
    running->wait = Wait::end;
    running->fiber.suspend();
}

inline void suspend(Wait wait, int line) {
    watch.settle();
    running->wait = wait;
    running->line = line;
    running->fiber.suspend();
}

// Before an access: in a random order, other lanes may come first.
inline void interrupt() {
    if (!random_order || random_order->next() % 4 != 0) return;
    interrupted = true;
    suspend(Wait::nothing, 0);
}

inline void access(const void* at, size_t size, Kind kind) {
    interrupt();
    watch.access(at, size, kind);
}

inline void resume(unsigned thread) {
    running = &threads[thread];
    now.thread = thread;
    mt_builtins.thread = {thread, 0, 0};
    running->fiber.resume();
}

// --- shuffles ------------------------------------------------------------------------------------

// The lane whose value `lane` gets.
inline unsigned source_lane(const Thread& thread, unsigned lane) {
    unsigned width = static_cast<unsigned>(thread.width);
    unsigned operand = static_cast<unsigned>(thread.operand);
    unsigned first = lane & ~(width - 1);
    unsigned last = lane | (width - 1);
    switch (thread.shuffle) {
        case MtShuffle::idx:
            return first + (operand & (width - 1));
        case MtShuffle::up:
            return lane < first + operand ? lane : lane - operand;
        case MtShuffle::down:
            return lane + operand > last ? lane : lane + operand;
        case MtShuffle::exclusive_or:
            return (lane ^ operand) > last ? lane : lane ^ operand;
        case MtShuffle::none:
            break;
    }
    return lane;
}

// Whether all lanes that this thread's mask names are at the same place with the same mask.
inline bool met(const Thread* warp, unsigned lanes, const Thread& thread) {
    for (unsigned i = 0; i < 32; ++i) {
        if (!names(thread.mask, i)) continue;
        if (i >= lanes || warp[i].wait != Wait::warp || warp[i].mask != thread.mask ||
            warp[i].line != thread.line)
            return false;
    }
    return true;
}

inline void exchange(Thread* warp, unsigned mask) {
    unsigned long long offered[32];
    for (unsigned i = 0; i < 32; ++i)
        offered[i] = names(mask, i) ? warp[i].bits : poison * 0x100000001ull;
    for (unsigned i = 0; i < 32; ++i) {
        if (!names(mask, i)) continue;
        warp[i].bits = offered[source_lane(warp[i], i)];
        warp[i].wait = Wait::nothing;
    }
}

// Lets lanes go on that have met. False: none have.
inline bool release(Thread* warp, unsigned lanes) {
    bool released = false;
    for (unsigned i = 0; i < lanes; ++i) {
        if (warp[i].wait != Wait::warp || !met(warp, lanes, warp[i])) continue;
        if (warp[i].shuffle == MtShuffle::none) ++now.syncs[(warp - threads.data()) / 32];
        exchange(warp, warp[i].mask);
        released = true;
    }
    return released;
}

// Runs a warp until all its threads wait at barriers, for lanes that do not come, or have ended.
inline void run_warp(unsigned warp) {
    unsigned first = warp * 32;
    unsigned lanes = std::min(thread_count() - first, 32u);
    std::vector<unsigned> order = ascending<unsigned>(lanes);
    do {
        interrupted = false;
        if (random_order) random_order->shuffle(order);
        for (unsigned i : order)
            if (threads[first + i].wait == Wait::nothing) resume(first + i);
    } while (interrupted || release(&threads[first], lanes));
}

// --- blocks --------------------------------------------------------------------------------------

inline std::string state(const Thread& thread) {
    std::string at = std::to_string(thread.line);
    switch (thread.wait) {
        case Wait::barrier:
            return "waits at the barrier in line " + at;
        case Wait::warp:
            return "waits in line " + at + " with mask " + std::to_string(thread.mask);
        case Wait::end:
            return "has ended";
        case Wait::nothing:
            break;
    }
    return "runs";
}

[[noreturn]] inline void fail_stuck_warp(unsigned thread) {
    const Thread& waiting = threads[thread];
    unsigned first = thread / 32 * 32;
    std::string absent;
    for (unsigned i = 0; i < 32 && absent.empty(); ++i) {
        if (!names(waiting.mask, i)) continue;
        if (first + i >= thread_count())
            absent = "does not exist";
        else if (threads[first + i].wait != Wait::warp || threads[first + i].line != waiting.line ||
                 threads[first + i].mask != waiting.mask)
            absent = state(threads[first + i]);
        if (!absent.empty()) absent = "lane " + std::to_string(i) + " " + absent;
    }
    char mask[16];
    std::snprintf(mask, sizeof mask, "0x%08x", waiting.mask);
    now.thread = thread;
    fail("mask", waiting.line, here() + " waits for the lanes of mask " + mask + ", but " + absent);
}

// No thread runs and no warp can go on: true where all threads are at one barrier, false where all
// have ended.
inline bool at_barrier() {
    unsigned waiting = 0, elsewhere = 0;
    const Thread* barrier = nullptr;
    for (unsigned i = 0; i < thread_count(); ++i) {
        if (threads[i].wait == Wait::warp) fail_stuck_warp(i);
        if (threads[i].wait != Wait::barrier) continue;
        if (!barrier) barrier = &threads[i];
        (threads[i].line == barrier->line ? waiting : elsewhere) += 1;
    }
    if (waiting == thread_count() || !barrier) return waiting != 0;
    unsigned ended = thread_count() - waiting - elsewhere;
    fail("divergent barrier", barrier->line,
         std::to_string(waiting) + " of " + std::to_string(thread_count()) +
             " threads wait at this barrier, " + std::to_string(elsewhere) + " at another, " +
             std::to_string(ended) + " have ended");
}

inline void next_interval() {
    ++now.interval;
    now.syncs.assign((thread_count() + 31) / 32, 1);
}

inline void start_block() {
    next_interval();
    now.block_start = now.interval;
    watch.shared.forget();
    for (size_t i = 0; i < watch.shared.bytes; ++i)
        watch.shared.data[i] = static_cast<char>(poison >> i % 4 * 8);
    for (Thread& each : threads) {
        each.fiber.start(thread_main);
        each.wait = Wait::nothing;
    }
}

// From barrier to barrier, one warp after the other runs as far as it gets, so that a warp may be
// ahead of another by all that no barrier forbids.
inline void run_block() {
    start_block();
    std::vector<unsigned> order = ascending<unsigned>((thread_count() + 31) / 32);
    while (true) {
        if (random_order) random_order->shuffle(order);
        for (unsigned warp : order) run_warp(warp);
        if (!at_barrier()) return;
        next_interval();
        for (Thread& each : threads) each.wait = Wait::nothing;
    }
}

}  // namespace mt
