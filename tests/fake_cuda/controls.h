// What tests do to the fake driver, and what they ask it: the functions that state.cpp exports.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace mytriton {

// How often a part is in a text.
inline int times(const std::string& text, const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

struct Fake {
    const char* (*log)();
    void (*reset)();
    void (*fail)(const char*, int, int);
    int (*calls)(const char*);
    void (*set_attribute)(int, int, int);
    void (*set_function_threads)(int);
    void* (*context)(int);
    void* (*stream)(int, int);
    void (*set_capture)(void*, int);
    int (*get_capture)(void*);
    int (*replay)(void*);
    void* (*alloc)(size_t);
    int (*get_current)(void**);
    int (*set_current)(void*);

    Fake() {
        void* library = dlopen(FAKE_CUDA_PATH, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            std::abort();
        }
        find(library, "fake_log", log);
        find(library, "fake_reset", reset);
        find(library, "fake_fail", fail);
        find(library, "fake_count", calls);
        find(library, "fake_set_attribute", set_attribute);
        find(library, "fake_set_function_threads", set_function_threads);
        find(library, "fake_context", context);
        find(library, "fake_stream", stream);
        find(library, "fake_set_capture", set_capture);
        find(library, "fake_get_capture", get_capture);
        find(library, "fake_replay", replay);
        find(library, "fake_alloc", alloc);
        find(library, "cuCtxGetCurrent", get_current);
        find(library, "cuCtxSetCurrent", set_current);
    }

    template <typename Function>
    static void find(void* library, const char* name, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (function == nullptr) std::abort();
    }

    void* current() const {
        void* context = nullptr;
        get_current(&context);
        return context;
    }
    int count(const std::string& part) const { return times(log(), part); }
};

}  // namespace mytriton
