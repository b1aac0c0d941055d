// What of this machine and of its compilers decides which binaries it can share with others.
#pragma once

#include <string>

namespace mytriton {

// The instructions that -march=native allows, the processor that it tunes for, and the C library
// that compiled kernels are linked to: "x86_64 AuthenticAMD 25.17 glibc 2.36 <digest of features>".
const std::string& host_target();

// A file by its place, size and time of change; empty where it is not there. A compiler that is
// updated, or a wrapper that is edited, is another one.
std::string file_identity(const std::string& path);

}  // namespace mytriton
