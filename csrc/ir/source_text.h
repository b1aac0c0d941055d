// Emitted text that remembers which place in the user's source each of its lines comes from.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

struct SourceText {
    std::string text;
    std::vector<LocId> locs;  // of the kernel that was emitted, one a line; 0: of no place

    // Appends whole lines; only the last line of all may lack its line end.
    void add(const std::string& lines, LocId loc = 0) {
        text += lines;
        size_t count = std::ranges::count(lines, '\n') + (lines.ends_with('\n') ? 0 : 1);
        locs.insert(locs.end(), lines.empty() ? 0 : count, loc);
    }
};

}  // namespace mytriton
