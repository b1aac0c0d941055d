// The memory that a kernel may touch, and who touched what: finds accesses out of bounds, reads of
// shared memory that nothing wrote, and races.
//
// Two accesses to one place race if one of them writes and they come from different blocks, or from
// different threads of a block between two barriers (of one warp: between two __syncwarp).
// Atomic updates do not race with each other, but they do with other accesses. Two writes of the
// same value may be let pass, as their order does not show.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace mt {

// Ends the process with a report: the kind of the error, the line of the text or 0, the message.
[[noreturn]] void fail(const char* kind, int line, const std::string& message);

// Who accesses memory now. Intervals are what barriers divide time into, counted over all blocks;
// `syncs` counts the __syncwarp of each warp.
struct Now {
    uint32_t block_start = 1;  // the block's first interval
    uint32_t interval = 1;
    std::vector<uint32_t> syncs;
    unsigned thread = 0;

    unsigned warp() const { return thread / 32; }
    uint32_t sync() const { return syncs[warp()]; }
};
inline Now now;

std::string here();  // "thread 3 of block (0, 1, 0)"

enum class Kind { read, write, atomic };

// The last access of one kind to a place.
struct Access {
    uint32_t interval = 0;  // 0: there was none
    uint32_t sync = 0;
    unsigned thread = 0;

    bool by_another_block() const { return interval != 0 && interval < now.block_start; }
    bool in_this_interval() const { return interval == now.interval; }
    bool before_now() const {
        if (interval == 0) return true;
        if (by_another_block()) return false;
        if (!in_this_interval() || thread == now.thread) return true;
        return thread / 32 == now.warp() && sync < now.sync();
    }
    void set() { *this = {now.interval, now.sync(), now.thread}; }
};

// What is known of one place. The flags speak of reads that `read` no longer tells.
struct Touch {
    Access write, read, atomic;
    bool many_lanes = false;   // of the reader's warp have read since its last __syncwarp
    bool many_warps = false;   // have read since the last barrier
    bool many_blocks = false;  // have read

    bool read_before_now() const {
        if (!read.before_now()) return false;
        if (!read.in_this_interval()) return true;
        return !many_warps && !(many_lanes && read.sync == now.sync());
    }
};

struct Memory {
    char* data = nullptr;
    size_t bytes = 0;
    size_t grain = 1;  // bytes that one Touch stands for
    std::vector<Touch> touches;

    bool holds(const char* at, size_t size) const {
        return at >= data && at + size <= data + bytes;
    }
    void forget() { touches.assign((bytes + grain - 1) / grain, Touch()); }
};

// A pointer argument; places are named by it.
struct Argument {
    std::string name;
    char type = 'f';    // f: float, i: signed int, u: unsigned int, x: bits
    int64_t bytes = 4;  // of an element
    size_t memory = 0;  // index into the memories
    char* pointer = nullptr;
    int64_t count = 0;  // elements from the pointer on

    int64_t element_bytes() const { return bytes; }
    int64_t index(const char* at) const {
        int64_t distance = at - pointer;
        return (distance - (distance < 0 ? element_bytes() - 1 : 0)) / element_bytes();
    }
    std::string element(const char* at) const {
        return name + "[" + std::to_string(index(at)) + "]";
    }
};

constexpr size_t kMostWritten = 64;  // bytes at once

class Watch {
  public:
    bool races = true;         // are looked for
    bool equal_writes = true;  // are none
    std::vector<Memory> memories;
    std::vector<Argument> arguments;
    Memory shared;

    // A data address for each memory, `offset` bytes after a page's start, and so far apart that no
    // sum of 32-bit indices reaches from one into another.
    void lay_out(const std::vector<size_t>& offsets);

    void access(const void* address, size_t size, Kind kind) {
        settle();
        const char* at = static_cast<const char*>(address);
        bool writes = kind != Kind::read;
        bool argument = at >= slots_ && at < slots_ + (memories.size() << kSlotBits);
        if (!argument && !shared.holds(at, size)) return stray(at, writes);
        Memory& memory = argument ? memories[size_t(at - slots_) >> kSlotBits] : shared;
        if (!memory.holds(at, size)) outside(memory, at, writes);
        if (!races) return;
        size_t first = size_t(at - memory.data) / memory.grain;
        size_t last = size_t(at + size - 1 - memory.data) / memory.grain;
        for (size_t i = first; i <= last; ++i) {
            Touch& touch = memory.touches[i];
            if (kind == Kind::atomic)
                update(touch, at);
            else if (writes)
                write(touch, at, size);
            else
                read(touch, at);
        }
    }

    // Decides on the last write, where another thread had written too. That may be done any time
    // before the next access.
    void settle() {
        if (!undecided_.at) return;
        if (std::memcmp(undecided_.at, undecided_.before, undecided_.size) != 0)
            race(undecided_.at, "is written", undecided_.other, "written with another value");
        undecided_.at = nullptr;
    }

    // The memory's first argument, as all arguments in it are one tensor's.
    const Argument* argument_in(const Memory& memory) const {
        for (const Argument& each : arguments)
            if (&memories[each.memory] == &memory) return &each;
        return nullptr;
    }

  private:
    void read(Touch& touch, const char* at) {
        if (touch.write.interval == 0 && shared.holds(at, 1))
            fail("uninitialised", 0, here() + " reads shared memory that its block did not write");
        if (!touch.write.before_now()) race(at, "is written", touch.write, "read");
        if (!touch.atomic.before_now()) race(at, "is updated", touch.atomic, "read");
        if (!touch.read.in_this_interval()) {
            touch.many_blocks |= touch.read.by_another_block();
            touch.many_lanes = touch.many_warps = false;
        } else if (touch.read.thread / 32 != now.warp()) {
            touch.many_warps = true;
        } else if (touch.read.sync != now.sync()) {
            touch.many_lanes = false;
        } else if (touch.read.thread != now.thread) {
            touch.many_lanes = true;
        }
        touch.read.set();
    }

    void write(Touch& touch, const char* at, size_t size) {
        if (touch.many_blocks || !touch.read_before_now())
            race(at, "is read", touch.read, "written");
        if (!touch.atomic.before_now()) race(at, "is updated", touch.atomic, "written");
        if (!touch.write.before_now()) {
            if (!equal_writes) race(at, "is written", touch.write, "written");
            undecided_ = {at, size, {}, touch.write};
            std::memcpy(undecided_.before, at, size);
        }
        touch.write.set();
    }

    void update(Touch& touch, const char* at) {
        if (!touch.write.before_now()) race(at, "is written", touch.write, "updated");
        if (touch.many_blocks || !touch.read_before_now())
            race(at, "is read", touch.read, "updated");
        touch.atomic.set();
    }

    // Neither an argument's nor shared memory.
    void stray(const char* at, bool writes) const;
    [[noreturn]] void outside(const Memory& memory, const char* at, bool writes) const;
    [[noreturn]] void race(const char* at, const char* what, const Access& other,
                           const char* then) const;

    static constexpr int kSlotBits = 36;
    char* slots_ = nullptr;
    struct Undecided {
        const char* at = nullptr;
        size_t size = 0;
        char before[kMostWritten] = {};
        Access other;
    } undecided_;
};

inline void Watch::lay_out(const std::vector<size_t>& offsets) {
    if (memories.empty()) return;
    void* all = mmap(nullptr, memories.size() << kSlotBits, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) fail("shim", 0, "cannot reserve address space");
    slots_ = static_cast<char*>(all);
    for (size_t i = 0; i < memories.size(); ++i) {
        char* page = slots_ + (i << kSlotBits) + (size_t(1) << (kSlotBits - 1));
        memories[i].data = page + offsets[i];
        if (memories[i].bytes == 0) continue;
        if (mprotect(page, offsets[i] + memories[i].bytes, PROT_READ | PROT_WRITE))
            fail("shim", 0, "cannot allocate memory for the arguments");
    }
}

inline void Watch::outside(const Memory& memory, const char* at, bool writes) const {
    const Argument& argument = *argument_in(memory);
    fail("out of bounds", 0,
         here() + (writes ? " writes " : " reads ") + argument.element(at) + ", but " +
             argument.name + " has " + std::to_string(argument.count) + " elements");
}

inline void Watch::race(const char* at, const char* what, const Access& other,
                        const char* then) const {
    std::string place = "shared memory";
    for (const Argument& each : arguments) {
        if (!memories[each.memory].holds(at, 1)) continue;
        place = each.element(at);
        break;
    }
    bool another_block = other.interval < now.block_start;
    fail("race", 0,
         place + " " + what + " by thread " + std::to_string(other.thread) +
             (another_block ? " of another block" : "") + " and " + then + " by " + here() +
             (another_block ? "" : ", without a barrier between"));
}

}  // namespace mt
