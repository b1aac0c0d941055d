// A fake libcuda.so.1 for tests without a GPU: it refuses what a real driver refuses, writes down
// what it is told to do, fails where a test wants it to, and runs kernels on the CPU.
//
// An image of the fake NVRTC is run; of another image (any ELF or PTX) launches are only checked.
// Tests point MYTRITON_LIBCUDA at it. As it has the name libcuda.so.1, NVRTC too finds it once it
// is loaded, and tests see what that calls. Its rules:
//   - nothing but queries of names and versions works before cuInit
//   - modules load into the current context, which must be retained, and not during any capture;
//     such an attempt spoils the captures, as it does in truth
//   - an image must be whole, and a cubin of the device's architecture
//   - a function is launched in its module's context, on no stream or one of that context, with a
//     grid, a block and shared memory that it may have, and arguments that are there; its pointers
//     point into memory of fake_alloc
//   - a launch on a stream that is captured is kept for fake_replay
#include "driver.h"

#include <cstring>

#include "image.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {
namespace {

// What every call begins with: counting, the failure a test asked for, the rule about cuInit.
struct Call {
    std::lock_guard<std::mutex> lock{state().mutex};
    int result;

    explicit Call(const char* name, bool needs_init = true)
        : result(needs_init && !state().initialised ? kNotInitialized : kSuccess) {
        ++state().counts[name];
        for (auto each = state().failures.begin(); each != state().failures.end(); ++each) {
            if (each->call != name || each->after-- > 0) continue;
            result = each->result;
            state().failures.erase(each);
            return;
        }
    }
    bool goes_well() const { return result == kSuccess; }
};

bool is_device(int device) {
    return device >= 0 && device < kDevices;
}

// "sm_90a" runs on 9.0 alone, "sm_90" on 9.x from 9.0 on, "compute_90" on all from 9.0 on.
bool runs_on(const std::string& arch, int device) {
    auto& attributes = state().attributes[device];
    const int sm = 10 * attributes[kMajor] + attributes[kMinor];
    const int made_for = std::atoi(arch.c_str() + arch.find('_') + 1);
    if (arch.starts_with("compute_")) return made_for <= sm;
    if (arch.ends_with("a")) return made_for == sm;
    return made_for <= sm && made_for / 10 == sm / 10;
}

int check_image(const char* image, std::shared_ptr<Program>& program) {
    const bool ours = begins_with(image, kCubinMagic) || begins_with(image, kPtxMagic);
    if (!ours) {
        const bool opaque = begins_with(image, "\177ELF") || std::strstr(image, ".version");
        return opaque ? kSuccess : kInvalidImage;
    }
    const std::optional<Image> read = read_image(image);
    if (!read) return kInvalidImage;
    if (!runs_on(read->arch, current()->device)) return kNoBinaryForGpu;
    program = std::make_shared<Program>(read->text);
    return kSuccess;
}

int check_arguments(const Function& function, void** args) {
    if (!function.module->program) return kSuccess;
    if (args == nullptr) return state().violation("a launch without arguments", kInvalidValue);
    const std::vector<Parameter>& parameters = function.module->program->parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
        const std::string which = "argument " + std::to_string(i) + " of " + function.name;
        if (args[i] == nullptr) return state().violation(which + " is missing", kInvalidValue);
        const void* pointer = nullptr;
        if (!parameters[i].is_pointer) continue;
        std::memcpy(&pointer, args[i], sizeof pointer);
        if (!is_allocated(pointer))
            return state().violation(which + " points nowhere", kInvalidValue);
    }
    return kSuccess;
}

int check_shape(const Function& function, const unsigned (&grid)[3], const unsigned (&block)[3],
                unsigned shared) {
    auto& attributes = state().attributes[current()->device];
    const bool grid_fits = grid[0] > 0 && grid[1] > 0 && grid[2] > 0 && grid[0] <= 2147483647u &&
                           grid[1] <= 65535u && grid[2] <= 65535u;
    const size_t threads = size_t{block[0]} * block[1] * block[2];
    if (!grid_fits) return state().violation("a grid that is too large", kInvalidValue);
    if (threads == 0 || threads > static_cast<size_t>(attributes[kMaxThreads]))
        return state().violation("a block that is too large", kInvalidValue);
    if (threads > static_cast<size_t>(state().function_max_threads))
        return state().violation("more registers than there are", kLaunchOutOfResources);
    const bool opted_in = static_cast<int>(shared) <= function.most_dynamic;
    const int all = static_cast<int>(shared) + function.static_shared();
    if (all > attributes[kSharedOptIn] || (all > kSharedWithoutOptIn && !opted_in))
        return state().violation("too much shared memory", kInvalidValue);
    return kSuccess;
}

int check_place(const Function& function, Stream* stream) {
    if (!function.module->loaded)
        return state().violation("launch of an unloaded module", kInvalidHandle);
    if (function.module->context != current())
        return state().violation("launch in the wrong context", kInvalidHandle);
    if (stream != nullptr && stream->context != current())
        return state().violation("launch on another context's stream", kInvalidHandle);
    if (stream != nullptr && stream->capturing == 2) return kCaptureInvalidated;
    if (stream == nullptr && state().captures(current(), true)) {
        state().spoil_captures();
        return kCaptureImplicit;
    }
    return kSuccess;
}

Node record(Function* function, const unsigned (&grid)[3], unsigned threads, unsigned shared,
            void** args) {
    Node node{function, {grid[0], grid[1], grid[2]}, threads, shared, {}};
    if (!function->module->program) return node;
    const std::vector<Parameter>& parameters = function->module->program->parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
        const char* value = static_cast<const char*>(args[i]);
        node.arguments.emplace_back(value, value + parameters[i].bytes);
    }
    return node;
}

const std::map<int, const char*> kNames = {
    {1, "INVALID_VALUE"},
    {2, "OUT_OF_MEMORY"},
    {3, "NOT_INITIALIZED"},
    {4, "DEINITIALIZED"},
    {46, "DEVICE_UNAVAILABLE"},
    {100, "NO_DEVICE"},
    {101, "INVALID_DEVICE"},
    {200, "INVALID_IMAGE"},
    {201, "INVALID_CONTEXT"},
    {209, "NO_BINARY_FOR_GPU"},
    {218, "INVALID_PTX"},
    {221, "JIT_COMPILER_NOT_FOUND"},
    {222, "UNSUPPORTED_PTX_VERSION"},
    {301, "FILE_NOT_FOUND"},
    {302, "SHARED_OBJECT_SYMBOL_NOT_FOUND"},
    {303, "SHARED_OBJECT_INIT_FAILED"},
    {400, "INVALID_HANDLE"},
    {500, "NOT_FOUND"},
    {700, "ILLEGAL_ADDRESS"},
    {701, "LAUNCH_OUT_OF_RESOURCES"},
    {702, "LAUNCH_TIMEOUT"},
    {716, "MISALIGNED_ADDRESS"},
    {719, "LAUNCH_FAILED"},
    {803, "SYSTEM_DRIVER_MISMATCH"},
    {804, "COMPAT_NOT_SUPPORTED_ON_DEVICE"},
    {900, "STREAM_CAPTURE_UNSUPPORTED"},
    {901, "STREAM_CAPTURE_INVALIDATED"},
    {906, "STREAM_CAPTURE_IMPLICIT"},
    {999, "UNKNOWN"},
};

}  // namespace
}  // namespace fake

using namespace fake;

// NVRTC's cache asks for it and crashes where the symbol is missing.
EXPORT int cuGetExportTable(const void** table, const void*) {
    *table = nullptr;
    return kNotFound;
}

EXPORT int cuInit(unsigned flags) {
    Call call("cuInit", false);
    state().write("cuInit");
    if (call.goes_well() && flags != 0) call.result = kInvalidValue;
    if (call.goes_well()) state().initialised = true;
    return call.result;
}

EXPORT int cuDriverGetVersion(int* version) {
    Call call("cuDriverGetVersion", false);
    if (call.goes_well()) *version = 13000;
    return call.result;
}

EXPORT int cuGetErrorName(int result, const char** name) {
    static thread_local std::string text;
    const auto found = kNames.find(result);
    *name = nullptr;
    if (found == kNames.end()) return kInvalidValue;
    text = std::string("CUDA_ERROR_") + found->second;
    *name = text.c_str();
    return kSuccess;
}

EXPORT int cuGetErrorString(int result, const char** text) {
    const bool known = kNames.contains(result);
    *text = known ? "fake text" : nullptr;
    return known ? kSuccess : kInvalidValue;
}

EXPORT int cuDeviceGet(int* device, int ordinal) {
    Call call("cuDeviceGet");
    if (call.goes_well() && !is_device(ordinal)) call.result = kInvalidDevice;
    if (call.goes_well()) *device = ordinal;
    return call.result;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
    Call call("cuDeviceGetAttribute");
    if (!call.goes_well()) return call.result;
    if (!is_device(device)) return kInvalidDevice;
    const auto found = state().attributes[device].find(attribute);
    if (found == state().attributes[device].end()) return kInvalidValue;
    *value = found->second;
    return kSuccess;
}

EXPORT int cuDevicePrimaryCtxRetain(Context** context, int device) {
    Call call("cuDevicePrimaryCtxRetain");
    if (!call.goes_well()) return call.result;
    if (!is_device(device)) return kInvalidDevice;
    state().write("retain " + std::to_string(device));
    *context = &state().contexts[device];
    (*context)->retained = true;
    return kSuccess;
}

EXPORT int cuCtxGetCurrent(Context** context) {
    Call call("cuCtxGetCurrent");
    if (call.goes_well()) *context = current();
    return call.result;
}

EXPORT int cuCtxSetCurrent(Context* context) {
    Call call("cuCtxSetCurrent");
    if (!call.goes_well()) return call.result;
    current() = context;
    state().write("set context " + std::to_string(context == nullptr ? -1 : context->device));
    return kSuccess;
}

EXPORT int cuStreamIsCapturing(Stream* stream, int* status) {
    Call call("cuStreamIsCapturing");
    if (!call.goes_well()) return call.result;
    if (current() == nullptr) return state().violation("no context is current", kInvalidContext);
    if (stream != nullptr && stream->context != current())
        return state().violation("a question about another context's stream", kInvalidHandle);
    if (stream == nullptr && state().captures(current(), true)) return kCaptureImplicit;
    *status = stream == nullptr ? 0 : stream->capturing;
    return kSuccess;
}

EXPORT int cuModuleLoadData(Module** module, const void* image) {
    Call call("cuModuleLoadData");
    if (!call.goes_well()) return call.result;
    if (current() == nullptr || !current()->retained)
        return state().violation("a module without a context", kInvalidContext);
    if (state().captures(nullptr, false)) {
        state().spoil_captures();
        return state().violation("a module is loaded during a capture", kCaptureUnsupported);
    }
    std::shared_ptr<Program> program;
    if (int result = check_image(static_cast<const char*>(image), program)) return result;
    state().write("load module in context " + std::to_string(current()->device));
    state().modules.push_back({current(), std::move(program)});
    *module = &state().modules.back();
    return kSuccess;
}

// Nobody of ours calls this.
EXPORT int cuModuleUnload(Module* module) {
    Call call("cuModuleUnload");
    module->loaded = false;
    return state().violation("a module is unloaded", kSuccess);
}

EXPORT int cuModuleGetFunction(Function** function, Module* module, const char* name) {
    Call call("cuModuleGetFunction");
    if (!call.goes_well()) return call.result;
    if (!module->loaded) return state().violation("an unloaded module", kInvalidHandle);
    if (module->program && module->program->entry() != name) return kNotFound;
    state().functions.push_back({module, name});
    *function = &state().functions.back();
    return kSuccess;
}

EXPORT int cuFuncGetAttribute(int* value, int attribute, Function* function) {
    Call call("cuFuncGetAttribute");
    if (!call.goes_well()) return call.result;
    if (attribute == kFunctionMaxThreads)
        *value = state().function_max_threads;
    else if (attribute == kFunctionStaticShared)
        *value = function->static_shared();
    else
        return kInvalidValue;
    return kSuccess;
}

EXPORT int cuFuncSetAttribute(Function* function, int attribute, int value) {
    Call call("cuFuncSetAttribute");
    if (!call.goes_well()) return call.result;
    const int device = function->module->context->device;
    if (attribute != kFunctionMaxDynamicShared || value < 0 ||
        value + function->static_shared() > state().attributes[device][kSharedOptIn])
        return state().violation("an attribute that cannot be", kInvalidValue);
    function->most_dynamic = value;
    state().write("allow " + function->name + " shared " + std::to_string(value));
    return kSuccess;
}

EXPORT int cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          Stream* stream, void** args, void** extra) {
    Call call("cuLaunchKernel");
    if (!call.goes_well()) return call.result;
    const unsigned grid[3] = {grid_x, grid_y, grid_z};
    const unsigned block[3] = {block_x, block_y, block_z};
    if (extra != nullptr) return state().violation("extra arguments", kInvalidValue);
    if (int result = check_place(*function, stream)) return result;
    if (int result = check_shape(*function, grid, block, shared)) return result;
    if (int result = check_arguments(*function, args)) return result;
    char line[320];
    std::snprintf(line, sizeof line,
                  "launch %s device %d grid %u,%u,%u block %u,%u,%u shared %u stream %p args %p",
                  function->name.c_str(), current()->device, grid_x, grid_y, grid_z, block_x,
                  block_y, block_z, shared, static_cast<void*>(stream), static_cast<void*>(args));
    state().write(line);
    const unsigned threads = block_x * block_y * block_z;
    if (stream != nullptr && stream->capturing == 1)
        stream->graph.push_back(record(function, grid, threads, shared, args));
    else if (function->module->program)
        function->module->program->run(grid, threads, shared, args);
    return kSuccess;
}
