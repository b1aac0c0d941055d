// Type rules while tracing: what they refuse becomes an error at the user's place.
#pragma once

#include <string>

#include "ir/error.h"
#include "ir/typing.h"

namespace mytriton {

// f(), where a TypingError is rethrown at the place, behind the function's name unless it is empty.
template <class F>
auto checked(const std::string& function, const Loc& loc, const F& f) {
    try {
        return f();
    } catch (const TypingError& error) {
        throw CompileError((function.empty() ? "" : function + ": ") + error.what(), loc);
    }
}

}  // namespace mytriton
