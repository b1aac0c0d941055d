// What a batch of kernels and the runtime know of each other.
#pragma once

struct MtIndex {
    unsigned x, y, z;
};

struct MtBuiltins {
    MtIndex thread, block, block_dim, grid_dim;
};

enum class MtShuffle { none, idx, up, down, exclusive_or };

// A kernel of the batch. `call` unpacks the arguments, each of which is the address of a value;
// its shared memory lies between `shared` and `shared_end`.
struct MtEntry {
    const char* key;
    void (*call)(void* const* arguments);
    char *shared, *shared_end;
};

extern "C" {
extern MtBuiltins mt_builtins;  // of the thread that runs
extern const MtEntry mt_entries[];
extern const int mt_entry_count;

void mt_barrier(int line);
// An atomic update of `size` bytes follows.
void mt_atomic_access(const void* at, unsigned long size);
// A shuffle, or with `none` only the meeting of the lanes named in `mask`.
unsigned long long mt_exchange(int line, MtShuffle kind, unsigned mask, unsigned long long bits,
                               int operand, int width);
}
