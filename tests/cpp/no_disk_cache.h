// Keeps tests off the kernels that this user has on disk. For each test that compiles.
#pragma once

#include <cstdlib>

namespace mytriton {

inline const int kNoDiskCache = setenv("MYTRITON_CACHE_DIR", "0", 1);

}  // namespace mytriton
