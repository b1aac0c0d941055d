// What a for counts at run time, so that no counter passes what its type holds.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/ir.h"

namespace mytriton {

struct Counter {
    enum class Form {
        index,   // the index itself
        wide,    // the index in 64 bits, where its type is narrower
        rounds,  // how many rounds there are; the index moves along and may wrap after the last
    } form;
    int64_t step = 0;  // but for rounds: not 0, of at most 31 bits; negative ones count down
};

Counter counter_of(const Kernel& legal, const Inst& loop);

}  // namespace mytriton
