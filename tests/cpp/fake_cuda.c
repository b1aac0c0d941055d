// A fake libcuda.so.1 for tests without a GPU: it runs nothing, but it refuses what a real driver
// refuses and writes down every call. Tests point MYTRITON_LIBCUDA at it. Link it with the SONAME
// libcuda.so.1: once it is loaded, NVRTC too finds it under that name, and tests see what it calls.
//
// Three devices: 0 and 1 of capability 9.0, 2 of 12.0. The rules it enforces:
//   - nothing but queries of names and versions works before cuInit
//   - modules load into the current context, which must exist, and not during any capture; such an
//     attempt spoils the captures, as it does in truth
//   - an image must be a cubin (ELF) or PTX text
//   - a function launches only in its module's context, with a legal grid and block, on no stream
//     or a stream of that context
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    kSuccess = 0,
    kInvalidValue = 1,
    kNotInitialized = 3,
    kInvalidDevice = 101,
    kInvalidImage = 200,
    kInvalidContext = 201,
    kInvalidHandle = 400,
    kNotFound = 500,
    kCaptureUnsupported = 900,
    kCaptureImplicit = 906,

    kDevices = 3,
    kMaxThreads = 1024,
    kMaxHandles = 8192,
    kStreamsPerDevice = 2,
};

typedef struct {
    int device;
} Context;
typedef struct {
    Context* context;
} Module;
typedef struct {
    Module* module;
    char name[64];
    int shared_bytes;  // that a launch may ask for beyond 48 KB
} Function;
typedef struct {
    Context* context;
    int capturing;  // CUstreamCaptureStatus: 0 none, 1 active, 2 invalidated
} Stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialised;
static Context contexts[kDevices] = {{0}, {1}, {2}};
static int retained[kDevices];
static _Thread_local Context* current;
static Module modules[kMaxHandles];
static int module_count;
static Function functions[kMaxHandles];
static int function_count;
static Stream streams[kDevices][kStreamsPerDevice];
static char failing_call[64];
static int failing_result;
static char log_text[1 << 16];
static size_t log_size;

// The log is one line a call; what does not fit is dropped.
static void write_log(const char* format, ...) {
    va_list args;
    va_start(args, format);
    const size_t room = sizeof log_text - log_size;
    const int written = vsnprintf(log_text + log_size, room, format, args);
    va_end(args);
    if (written > 0 && (size_t)written < room) log_size += (size_t)written;
    log_text[log_size] = '\0';
}

static int any_capture(void) {
    for (int d = 0; d < kDevices; ++d)
        for (int s = 0; s < kStreamsPerDevice; ++s)
            if (streams[d][s].capturing) return 1;
    return 0;
}

static void spoil_captures(void) {
    for (int d = 0; d < kDevices; ++d)
        for (int s = 0; s < kStreamsPerDevice; ++s)
            if (streams[d][s].capturing) streams[d][s].capturing = 2;
}

// What every call begins with: the failure a test asked for, then the rule about cuInit.
static int enter(const char* call) {
    if (strcmp(call, failing_call) == 0) {
        failing_call[0] = '\0';
        return failing_result;
    }
    return initialised ? kSuccess : kNotInitialized;
}

// ---- What tests call ---------------------------------------------------------------------------

const char* fake_log(void) {
    return log_text;
}

// Empties the log, ends captures and wished failures, and leaves the thread without a context.
void fake_reset(void) {
    pthread_mutex_lock(&lock);
    log_size = 0;
    log_text[0] = '\0';
    failing_call[0] = '\0';
    for (int d = 0; d < kDevices; ++d)
        for (int s = 0; s < kStreamsPerDevice; ++s) streams[d][s].capturing = 0;
    current = NULL;
    pthread_mutex_unlock(&lock);
}

// The next call of that name returns `result` and does nothing.
void fake_fail_next(const char* call, int result) {
    pthread_mutex_lock(&lock);
    snprintf(failing_call, sizeof failing_call, "%s", call);
    failing_result = result;
    pthread_mutex_unlock(&lock);
}

void* fake_context(int device) {
    return &contexts[device];
}

void* fake_stream(int device, int index) {
    streams[device][index].context = &contexts[device];
    return &streams[device][index];
}

void fake_set_capture(void* stream, int status) {
    ((Stream*)stream)->capturing = status;
}
int fake_get_capture(void* stream) {
    return ((Stream*)stream)->capturing;
}

// ---- The driver --------------------------------------------------------------------------------

// NVRTC's cache asks for it and crashes where the symbol is missing.
int cuGetExportTable(const void** table, const void* id) {
    (void)id;
    *table = NULL;
    return kNotFound;
}

int cuInit(unsigned flags) {
    pthread_mutex_lock(&lock);
    write_log("cuInit\n");
    if (flags == 0) initialised = 1;
    pthread_mutex_unlock(&lock);
    return flags == 0 ? kSuccess : kInvalidValue;
}

int cuDriverGetVersion(int* version) {
    *version = 13000;
    return kSuccess;
}

int cuGetErrorName(int result, const char** name) {
    switch (result) {
        case 1:
            *name = "CUDA_ERROR_INVALID_VALUE";
            return kSuccess;
        case 2:
            *name = "CUDA_ERROR_OUT_OF_MEMORY";
            return kSuccess;
        case 101:
            *name = "CUDA_ERROR_INVALID_DEVICE";
            return kSuccess;
        case 200:
            *name = "CUDA_ERROR_INVALID_IMAGE";
            return kSuccess;
        case 400:
            *name = "CUDA_ERROR_INVALID_HANDLE";
            return kSuccess;
        case 500:
            *name = "CUDA_ERROR_NOT_FOUND";
            return kSuccess;
        case 700:
            *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
            return kSuccess;
        case 701:
            *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
            return kSuccess;
        case 900:
            *name = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
            return kSuccess;
        default:
            *name = NULL;
            return kInvalidValue;
    }
}

int cuGetErrorString(int result, const char** text) {
    const char* name = NULL;
    const int status = cuGetErrorName(result, &name);
    *text = status == kSuccess ? "fake text" : NULL;
    return status;
}

int cuDeviceGet(int* device, int ordinal) {
    pthread_mutex_lock(&lock);
    int result = enter("cuDeviceGet");
    if (result == kSuccess && (ordinal < 0 || ordinal >= kDevices)) result = kInvalidDevice;
    if (result == kSuccess) *device = ordinal;
    pthread_mutex_unlock(&lock);
    return result;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
    pthread_mutex_lock(&lock);
    int result = enter("cuDeviceGetAttribute");
    if (result == kSuccess && (device < 0 || device >= kDevices)) result = kInvalidDevice;
    if (result == kSuccess) {
        switch (attribute) {
            case 1:
                *value = kMaxThreads;
                break;  // MAX_THREADS_PER_BLOCK
            case 75:
                *value = device == 2 ? 12 : 9;
                break;  // COMPUTE_CAPABILITY_MAJOR
            case 76:
                *value = 0;
                break;  // COMPUTE_CAPABILITY_MINOR
            case 97:
                *value = device == 1 ? 101376 : 232448;
                break;  // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
            default:
                result = kInvalidValue;
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuDevicePrimaryCtxRetain(Context** context, int device) {
    pthread_mutex_lock(&lock);
    int result = enter("cuDevicePrimaryCtxRetain");
    if (result == kSuccess && (device < 0 || device >= kDevices)) result = kInvalidDevice;
    if (result == kSuccess) {
        write_log("retain %d\n", device);
        retained[device] = 1;
        *context = &contexts[device];
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuCtxGetCurrent(Context** context) {
    pthread_mutex_lock(&lock);
    const int result = enter("cuCtxGetCurrent");
    if (result == kSuccess) *context = current;
    pthread_mutex_unlock(&lock);
    return result;
}

int cuCtxSetCurrent(Context* context) {
    pthread_mutex_lock(&lock);
    const int result = enter("cuCtxSetCurrent");
    if (result == kSuccess) {
        current = context;
        write_log("set context %d\n", context == NULL ? -1 : context->device);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuStreamIsCapturing(Stream* stream, int* status) {
    pthread_mutex_lock(&lock);
    int result = enter("cuStreamIsCapturing");
    if (result == kSuccess && current == NULL) result = kInvalidContext;
    if (result == kSuccess && stream == NULL && any_capture()) result = kCaptureImplicit;
    if (result == kSuccess) *status = stream == NULL ? 0 : stream->capturing;
    pthread_mutex_unlock(&lock);
    return result;
}

int cuModuleLoadData(Module** module, const void* image) {
    pthread_mutex_lock(&lock);
    int result = enter("cuModuleLoadData");
    if (result == kSuccess && (current == NULL || !retained[current->device])) {
        result = kInvalidContext;
    }
    if (result == kSuccess && any_capture()) {
        write_log("load during a capture\n");
        spoil_captures();
        result = kCaptureUnsupported;
    }
    if (result == kSuccess && memcmp(image, "\177ELF", 4) != 0 &&
        strstr(image, ".version") == NULL) {
        result = kInvalidImage;
    }
    if (result == kSuccess && module_count == kMaxHandles) result = kInvalidValue;
    if (result == kSuccess) {
        write_log("load module in context %d\n", current->device);
        *module = &modules[module_count++];
        (*module)->context = current;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuModuleGetFunction(Function** function, Module* module, const char* name) {
    pthread_mutex_lock(&lock);
    int result = enter("cuModuleGetFunction");
    if (result == kSuccess && function_count == kMaxHandles) result = kInvalidValue;
    if (result == kSuccess) {
        *function = &functions[function_count++];
        (*function)->module = module;
        snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuFuncSetAttribute(Function* function, int attribute, int value) {
    pthread_mutex_lock(&lock);
    int result = enter("cuFuncSetAttribute");
    if (result == kSuccess && attribute != 8) result = kInvalidValue;
    if (result == kSuccess) {
        function->shared_bytes = value;
        write_log("allow %s shared %d\n", function->name, value);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   Stream* stream, void** args, void** extra) {
    pthread_mutex_lock(&lock);
    int result = enter("cuLaunchKernel");
    if (result == kSuccess && function->module->context != current) {
        write_log("launch in the wrong context\n");
        result = kInvalidHandle;
    }
    if (result == kSuccess && stream != NULL && stream->context != current) {
        write_log("launch on another context's stream\n");
        result = kInvalidHandle;
    }
    const int grid_fits = grid_x > 0 && grid_y > 0 && grid_z > 0 && grid_x <= 2147483647u &&
                          grid_y <= 65535u && grid_z <= 65535u;
    const int block_fits = block_x > 0 && block_y > 0 && block_z > 0 &&
                           (size_t)block_x * block_y * block_z <= kMaxThreads;
    const int shared_fits =
        shared_bytes <= 49152u || shared_bytes <= (unsigned)function->shared_bytes;
    if (result == kSuccess && !(grid_fits && block_fits && shared_fits && extra == NULL))
        result = kInvalidValue;
    if (result == kSuccess) {
        write_log("launch %s device %d grid %u,%u,%u block %u,%u,%u shared %u stream %p args %p\n",
                  function->name, current->device, grid_x, grid_y, grid_z, block_x, block_y,
                  block_z, shared_bytes, (void*)stream, (void*)args);
    }
    pthread_mutex_unlock(&lock);
    return result;
}
