// Finds NVRTC with dlopen, picks the options its version and the device allow, and compiles.
#include "cuda/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>

#include "cuda/driver.h"
#include "disk/cache.h"
#include "disk/machine.h"
#include "ir/error.h"

namespace mytriton {
namespace {

using nvrtcResult = int;
using nvrtcProgram = struct NvrtcProgram_st*;

constexpr nvrtcResult kNvrtcSuccess = 0;
constexpr nvrtcResult kNvrtcErrorCompilation = 6;
constexpr nvrtcResult kNvrtcErrorBuiltins = 7;

// Every NVRTC call we make: name and type. All are in 12.0, the oldest we look for.
// clang-format off
#define MYTRITON_NVRTC_SYMBOLS(X)                                                                  \
    X(nvrtcVersion,             nvrtcResult(int* major, int* minor))                               \
    X(nvrtcGetNumSupportedArchs, nvrtcResult(int* count))                                          \
    X(nvrtcGetSupportedArchs,   nvrtcResult(int* archs))                                           \
    X(nvrtcGetErrorString,      const char*(nvrtcResult result))                                   \
    X(nvrtcCreateProgram,                                                                          \
      nvrtcResult(nvrtcProgram* program, const char* text, const char* name, int header_count,     \
                  const char* const* headers, const char* const* include_names))                   \
    X(nvrtcDestroyProgram,      nvrtcResult(nvrtcProgram* program))                                \
    X(nvrtcCompileProgram,                                                                         \
      nvrtcResult(nvrtcProgram program, int count, const char* const* options))                    \
    X(nvrtcGetProgramLogSize,   nvrtcResult(nvrtcProgram program, size_t* size))                   \
    X(nvrtcGetProgramLog,       nvrtcResult(nvrtcProgram program, char* log))                      \
    X(nvrtcGetCUBINSize,        nvrtcResult(nvrtcProgram program, size_t* size))                   \
    X(nvrtcGetCUBIN,            nvrtcResult(nvrtcProgram program, char* cubin))                    \
    X(nvrtcGetPTXSize,          nvrtcResult(nvrtcProgram program, size_t* size))                   \
    X(nvrtcGetPTX,              nvrtcResult(nvrtcProgram program, char* ptx))
// clang-format on

struct Nvrtc {
    int version = 0;
    std::string path;

#define X(name, type) std::add_pointer_t<type> name = nullptr;
    MYTRITON_NVRTC_SYMBOLS(X)
#undef X
};

constexpr const char* kLibraryNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};

std::mutex search_paths_mutex;
std::vector<std::string> search_paths;

void* open_in(const std::string& folder) {
    for (const char* name : kLibraryNames) {
        if (void* library = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
    }
    return nullptr;
}

void* open_by_name(int flags) {
    for (const char* name : kLibraryNames) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags)) return library;
    }
    return nullptr;
}

void* open_in_any(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
        if (void* library = open_in(folder)) return library;
    }
    return nullptr;
}

std::vector<std::string> split_folders(std::string_view list) {
    std::vector<std::string> folders;
    while (!list.empty()) {
        const size_t end = std::min(list.find(':'), list.size());
        if (end > 0) folders.emplace_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return folders;
}

// The search order is the promise at the top of nvrtc.h.
void* open_library() {
    if (const char* only = std::getenv("MYTRITON_NVRTC_PATH")) {
        return open_in_any(split_folders(only));
    }
    if (void* library = open_by_name(RTLD_NOLOAD)) return library;
    {
        std::lock_guard lock(search_paths_mutex);
        if (void* library = open_in_any(search_paths)) return library;
    }
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
        const char* root = std::getenv(variable);
        if (root == nullptr || *root == '\0') continue;
        const std::string folder = root;
        if (void* library = open_in_any({folder + "/lib64", folder + "/lib"})) return library;
    }
    return open_by_name(0);
}

std::string builtins_name(const Nvrtc& nvrtc) {
    return "libnvrtc-builtins.so." + version_text(nvrtc.version);
}

// NVRTC opens its builtins by bare name, which the linker does not find in a wheel's folder. Opened
// here by full path, the copy that belongs to this NVRTC is found by name afterwards. If it is not
// there, the first compile says so.
void preload_builtins(const Nvrtc& nvrtc) {
    const size_t slash = nvrtc.path.rfind('/');
    if (slash == std::string::npos) return;
    dlopen((nvrtc.path.substr(0, slash + 1) + builtins_name(nvrtc)).c_str(), RTLD_NOW | RTLD_LOCAL);
}

Nvrtc load_nvrtc() {
    void* library = open_library();
    if (library == nullptr) {
        const char* only = std::getenv("MYTRITON_NVRTC_PATH");
        throw RuntimeError(
            "NVRTC, the CUDA compiler library (libnvrtc.so.13 or .12), was not found" +
            (only != nullptr ? " in MYTRITON_NVRTC_PATH=" + std::string(only) : std::string()) +
            ". Install it with: pip install nvidia-cuda-nvrtc (nvidia-cuda-nvrtc-cu12 for a "
            "driver of CUDA 12).");
    }

    Nvrtc nvrtc;
#define X(symbol, type)                                                               \
    nvrtc.symbol = reinterpret_cast<decltype(nvrtc.symbol)>(dlsym(library, #symbol)); \
    if (nvrtc.symbol == nullptr) throw RuntimeError("this NVRTC library lacks " #symbol);
    MYTRITON_NVRTC_SYMBOLS(X)
#undef X

    int major = 0;
    int minor = 0;
    nvrtc.nvrtcVersion(&major, &minor);
    nvrtc.version = 1000 * major + 10 * minor;
    Dl_info where;
    if (dladdr(reinterpret_cast<void*>(nvrtc.nvrtcVersion), &where) != 0) {
        nvrtc.path = where.dli_fname;
    }
    preload_builtins(nvrtc);
    return nvrtc;
}

const Nvrtc& nvrtc_library() {
    static const Nvrtc instance = load_nvrtc();
    return instance;
}

void check_nvrtc(const Nvrtc& nvrtc, nvrtcResult result, const char* call,
                 const std::string& name) {
    if (result == kNvrtcSuccess) return;
    std::string message = std::string(call) + " failed for kernel '" + name +
                          "': " + nvrtc.nvrtcGetErrorString(result) + " (NVRTC " +
                          version_text(nvrtc.version) + " at " + nvrtc.path + ")";
    if (result == kNvrtcErrorBuiltins) {
        message += ". It needs " + builtins_name(nvrtc) +
                   " of the same version in the same folder: reinstall it with pip install "
                   "--force-reinstall nvidia-cuda-nvrtc (nvidia-cuda-nvrtc-cu12 for NVRTC 12).";
    }
    throw RuntimeError(message);
}

// Owns the program, whatever is thrown.
class Program {
  public:
    Program(const Nvrtc& nvrtc, const std::string& text, const std::string& name) : nvrtc_(nvrtc) {
        const std::string file = name + ".cu";
        check_nvrtc(
            nvrtc,
            nvrtc.nvrtcCreateProgram(&program_, text.c_str(), file.c_str(), 0, nullptr, nullptr),
            "nvrtcCreateProgram", name);
    }
    ~Program() { nvrtc_.nvrtcDestroyProgram(&program_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    nvrtcProgram get() const { return program_; }

  private:
    const Nvrtc& nvrtc_;
    nvrtcProgram program_ = nullptr;
};

std::vector<std::string> compile_options(const NvrtcOptions& options, int version) {
    std::vector<std::string> flags = {
        "--gpu-architecture=" + options.arch,
        // Never --use_fast_math: how exact an op may be is the op's own choice in the text.
        std::string("--fmad=") + (options.fp_fusion ? "true" : "false"),
        "-default-device",
    };
    // Leaves out textures and the device runtime, which the text never uses: 10 to 20 ms less.
    if (version >= 12040) flags.push_back("--minimal");
    // With its cache, a compile calls cuInit, which breaks forks that come later.
    if (version >= 12090) flags.push_back("--no-cache");
    return flags;
}

std::string read_log(const Nvrtc& nvrtc, nvrtcProgram program) {
    size_t size = 0;
    if (nvrtc.nvrtcGetProgramLogSize(program, &size) != kNvrtcSuccess || size <= 1) return "";
    std::string log(size, '\0');
    if (nvrtc.nvrtcGetProgramLog(program, log.data()) != kNvrtcSuccess) return "";
    log.resize(size - 1);  // the size counts the closing NUL
    return log;
}

// Calls `visit` with each line's number, from 1, and text until it returns true.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
    for (int number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (visit(number, text.substr(0, end))) return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// "k.cu(3): error: ..." from the front end, "ptxas error   : ..." or "ptxas fatal ..." from ptxas.
std::string_view first_error_line(std::string_view log) {
    std::string_view found = log.substr(0, log.find('\n'));
    for_each_line(log, [&](int, std::string_view line) {
        const bool is_error = line.find("error:") != line.npos || line.starts_with("ptxas error") ||
                              line.starts_with("ptxas fatal");
        if (is_error) found = line;
        return is_error;
    });
    return found;
}

// The line number in "k.cu(3): error: ...", if the error is about a line of our text.
std::optional<int> line_of_error(std::string_view error, const std::string& name) {
    const std::string prefix = name + ".cu(";
    if (!error.starts_with(prefix)) return std::nullopt;
    int number = 0;
    const char* begin = error.data() + prefix.size();
    const auto parsed = std::from_chars(begin, error.data() + error.size(), number);
    return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

[[noreturn]] void throw_compile_error(const Nvrtc& nvrtc, const std::string& text,
                                      const std::string& name, const std::string& arch,
                                      const std::string& log) {
    const std::string_view error = first_error_line(log);
    std::string message = "kernel '" + name + "' does not compile for " + arch + " (NVRTC " +
                          version_text(nvrtc.version) + "): " + std::string(error);
    Loc loc;
    if (const std::optional<int> wanted = line_of_error(error, name)) {
        loc = {name + ".cu", *wanted, *wanted, 0, 0};
        for_each_line(text, [&](int number, std::string_view line) {
            if (number != *wanted) return false;
            message += "\n    " + std::to_string(number) + " | " + std::string(line);
            return true;
        });
    }
    throw CompileError(message, loc);
}

Cubin read_image(const Nvrtc& nvrtc, nvrtcProgram program, const std::string& name, bool is_ptx) {
    const auto get_size = is_ptx ? nvrtc.nvrtcGetPTXSize : nvrtc.nvrtcGetCUBINSize;
    const auto get_image = is_ptx ? nvrtc.nvrtcGetPTX : nvrtc.nvrtcGetCUBIN;
    size_t size = 0;
    check_nvrtc(nvrtc, get_size(program, &size), "nvrtcGetCUBINSize or nvrtcGetPTXSize", name);
    Cubin cubin{.image = std::string(size, '\0'), .is_ptx = is_ptx};
    check_nvrtc(nvrtc, get_image(program, cubin.image.data()), "nvrtcGetCUBIN or nvrtcGetPTX",
                name);
    return cubin;
}

}  // namespace

void set_nvrtc_search_paths(std::vector<std::string> folders) {
    std::lock_guard lock(search_paths_mutex);
    search_paths = std::move(folders);
}

bool nvrtc_available() {
    try {
        nvrtc_library();
        return true;
    } catch (const RuntimeError&) {
        return false;
    }
}

int nvrtc_version() {
    return nvrtc_library().version;
}

std::vector<int> nvrtc_supported_archs() {
    const Nvrtc& nvrtc = nvrtc_library();
    int count = 0;
    check_nvrtc(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs", "");
    std::vector<int> archs(static_cast<size_t>(count));
    check_nvrtc(nvrtc, nvrtc.nvrtcGetSupportedArchs(archs.data()), "nvrtcGetSupportedArchs", "");
    std::sort(archs.begin(), archs.end());
    return archs;
}

// A cubin for exactly this device when NVRTC knows it: a cubin needs no compiler in the driver and
// loads on drivers older than NVRTC, where PTX may not. From 9.0 to 11.x the device's own "a"
// target is asked for, because the tensor-core instructions there (wgmma on 9.0, tcgen05 on 10.x
// and 11.x) exist in no plain target; "a" code runs on that one architecture, which is all a cubin
// made at run time needs. 12.x has neither family, so plain it is.
// A device that NVRTC does not know gets PTX of the newest architecture below it, which the
// driver compiles; plain again, since "a" PTX would not move to another architecture.
std::string choose_arch(int sm, const std::vector<int>& known) {
    if (std::find(known.begin(), known.end(), sm) != known.end()) {
        return "sm_" + std::to_string(sm) + (sm >= 90 && sm < 120 ? "a" : "");
    }
    int newest_below = 0;
    for (int arch : known) {
        if (arch < sm) newest_below = std::max(newest_below, arch);
    }
    if (newest_below == 0) {
        throw RuntimeError("this NVRTC no longer compiles for compute capability " +
                           std::to_string(sm / 10) + "." + std::to_string(sm % 10) +
                           "; install an older one, such as nvidia-cuda-nvrtc-cu12");
    }
    return "compute_" + std::to_string(newest_below);
}

namespace {

std::string made_by(const Nvrtc& nvrtc, const NvrtcOptions& options) {
    return "NVRTC " + version_text(nvrtc.version) + " for " + options.arch;
}

Cubin compile_anew(const Nvrtc& nvrtc, const std::string& text, const std::string& name,
                   const NvrtcOptions& options, const std::vector<std::string>& flags) {
    const Program program(nvrtc, text, name);
    std::vector<const char*> argv;
    for (const std::string& flag : flags) argv.push_back(flag.c_str());

    const nvrtcResult result =
        nvrtc.nvrtcCompileProgram(program.get(), static_cast<int>(argv.size()), argv.data());
    const std::string log = read_log(nvrtc, program.get());
    if (result == kNvrtcErrorCompilation) {
        throw_compile_error(nvrtc, text, name, options.arch, log);
    }
    const std::string call = "nvrtcCompileProgram for " + options.arch +
                             (log.empty() ? "" : " (" + log.substr(0, log.find('\n')) + ")");
    check_nvrtc(nvrtc, result, call.c_str(), name);

    Cubin cubin = read_image(nvrtc, program.get(), name, options.arch.starts_with("compute_"));
    cubin.log = log;
    cubin.made_by = made_by(nvrtc, options);
    return cubin;
}

// From the disk cache, or compiled and put there. The name is part of the key: it is in logs.
Cubin find_or_compile(const Nvrtc& nvrtc, const std::string& text, const std::string& name,
                      const NvrtcOptions& options, const std::vector<std::string>& flags) {
    DiskCache* cache = disk_cache();
    if (!cache) return compile_anew(nvrtc, text, name, options, flags);
    BinaryRequest request{
        .kind = "cuda", .kernel = name, .target = options.arch, .inputs = {text, name}};
    request.inputs.insert(request.inputs.end(), flags.begin(), flags.end());
    request.inputs.push_back(version_text(nvrtc.version));
    request.inputs.push_back(file_identity(nvrtc.path));
    const auto compile = [=, &nvrtc] {
        Cubin cubin = compile_anew(nvrtc, text, name, options, flags);
        cache->keep(request, {.image = cubin.image, .log = cubin.log});
        return cubin;
    };
    std::optional<Binary> found = cache->find(request);
    if (!found) return compile();
    return {.image = std::move(found->image),
            .is_ptx = options.arch.starts_with("compute_"),
            .log = std::move(found->log),
            .made_by = made_by(nvrtc, options),
            .rebuild = [=](const std::string& wrong) {
                cache->report_damage(request, wrong);
                return compile();
            }};
}

}  // namespace

// Equal texts are compiled once, whichever kernels they are of.
Cubin nvrtc_compile(const std::string& text, const std::string& name, const NvrtcOptions& options) {
    const Nvrtc& nvrtc = nvrtc_library();
    const std::vector<std::string> flags = compile_options(options, nvrtc.version);
    std::vector<std::string> key = flags;
    key.insert(key.end(), {name, text});
    static std::mutex mutex;
    static auto* known = new std::map<std::vector<std::string>, Cubin>();
    {
        std::lock_guard lock(mutex);
        if (auto found = known->find(key); found != known->end()) return found->second;
    }
    // Not under the lock: two threads may compile two kernels at once.
    Cubin cubin = find_or_compile(nvrtc, text, name, options, flags);
    if (cubin.rebuild) {
        cubin.rebuild = [key, rebuild = cubin.rebuild](const std::string& wrong) {
            {
                // Another kernel of the same text may have done it.
                std::lock_guard lock(mutex);
                if (const Cubin& now = known->at(key); !now.rebuild) return now;
            }
            Cubin fresh = rebuild(wrong);
            std::lock_guard lock(mutex);
            return (*known)[key] = fresh;
        };
    }
    std::lock_guard lock(mutex);
    return known->emplace(std::move(key), std::move(cubin)).first->second;
}

Cubin compile_for_device(const std::string& text, const std::string& name, int sm, bool fp_fusion) {
    return nvrtc_compile(
        text, name, {.arch = choose_arch(sm, nvrtc_supported_archs()), .fp_fusion = fp_fusion});
}

}  // namespace mytriton
