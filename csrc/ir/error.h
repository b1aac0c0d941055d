// The two kinds of error: the user's mistake (CompileError and friends) and ours (InternalError).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace mytriton {

// A place in the user's Python source. Lines count from 1, columns from 0 in UTF-8 bytes, as
// CPython's co_positions gives them; line 0 means "unknown".
struct Loc {
    std::string file;
    int line = 0;
    int end_line = 0;
    int col = 0;
    int end_col = 0;

    bool known() const { return line > 0; }
};

// The user's kernel is wrong. Python raises it as mytriton.CompileError, with a caret when the
// location is known.
class CompileError : public std::runtime_error {
  public:
    explicit CompileError(const std::string& message, Loc loc = {})
        : std::runtime_error(message), loc_(std::move(loc)) {}
    const Loc& loc() const { return loc_; }

  private:
    Loc loc_;
};

// An argument has a value that cannot be used (Python: ValueError).
class ValueError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The machine refused: driver, NVRTC or host compiler (Python: RuntimeError).
class RuntimeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A device_assert did not hold (Python: AssertionError).
class AssertionFailed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A broken invariant of our own (Python: SystemError). `where` names the function that found it.
class InternalError : public std::logic_error {
  public:
    InternalError(const std::string& where, const std::string& what)
        : std::logic_error("mytriton internal error in " + where + ": " + what) {}
};

}  // namespace mytriton
