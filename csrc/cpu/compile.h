// Turns host C++ text into code in this process, with the system's compiler.
#pragma once

#include <optional>
#include <string>

namespace mytriton {

// The first of $CXX, c++, g++ and clang++ that can be found; nothing where there is none.
std::optional<std::string> find_host_compiler();

// Compiles the text as a shared object, or finds it in the disk cache (disk/cache.h), loads it and
// returns the address of `entry`. The object stays loaded for the life of the process; the same
// text is compiled once. `kernel` is its name in listings of the cache.
// RuntimeError with the compiler's own words where it fails.
void* compile_host(const std::string& compiler, const std::string& text, const std::string& entry,
                   const std::string& kernel);

}  // namespace mytriton
