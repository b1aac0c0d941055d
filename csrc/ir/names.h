// Names of the user's that would not do in emitted C++ or in an op's schema.
#pragma once

#include <string>
#include <vector>

namespace mytriton {

// An ASCII C++ identifier that is no keyword, no name of ours (v0, mt_x) and no name of the device
// or math library: the name itself wherever it is one, else a variation of it.
std::string cxx_name(const std::string& name);

// The same for a function in CUDA text, where the names in CUDA's headers are taken too.
std::string cuda_function_name(const std::string& name);

// The same for names that stand in one scope: still distinct afterwards.
std::vector<std::string> cxx_names(const std::vector<std::string>& names);

}  // namespace mytriton
