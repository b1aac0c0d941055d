// The fake driver's state, and what tests do to it: captures, streams, failures, memory.
#include <cstdio>

#include "driver.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

State::State() {
    log.reserve(1 << 20);
    reset();
}

// 0 and 1 are of capability 9.0 and differ in shared memory; 2 is of 12.0.
void State::reset() {
    log.clear();
    failures.clear();
    counts.clear();
    function_max_threads = 1024;
    for (int device = 0; device < kDevices; ++device)
        attributes[device] = {{kMaxThreads, 1024},
                              {kMajor, device == 2 ? 12 : 9},
                              {kMinor, 0},
                              {kSharedOptIn, device == 1 ? 101376 : 232448}};
    for (auto& [key, stream] : streams) {
        stream.capturing = 0;
        stream.graph.clear();
    }
}

bool State::captures(const Context* context, bool blocking_only) const {
    for (const auto& [key, stream] : streams)
        if (stream.capturing && (!context || stream.context == context) &&
            (!blocking_only || stream.blocking))
            return true;
    return false;
}

void State::spoil_captures() {
    for (auto& [key, stream] : streams)
        if (stream.capturing) stream.capturing = 2;
}

State& state() {
    static auto* only = new State();  // outlives threads that end late
    return *only;
}

Context*& current() {
    static thread_local Context* context = nullptr;
    return context;
}

int Function::static_shared() const {
    return module->program ? static_cast<int>(module->program->static_shared_bytes()) : 0;
}

}  // namespace fake

using namespace fake;

// A line for each call that changes something, and for each violation.
EXPORT const char* fake_log() {
    static thread_local std::string copy;
    std::lock_guard lock(state().mutex);
    copy = state().log;
    return copy.c_str();
}

// Forgets all that tests asked for, ends captures, and leaves the thread without a context.
EXPORT void fake_reset() {
    std::lock_guard lock(state().mutex);
    state().reset();
    current() = nullptr;
}

// After `after` calls of that name that go well, one returns `result` and does nothing.
EXPORT void fake_fail(const char* call, int after, int result) {
    std::lock_guard lock(state().mutex);
    state().failures.push_back({call, after, result});
}

EXPORT int fake_count(const char* call) {
    std::lock_guard lock(state().mutex);
    return state().counts[call];
}

EXPORT void fake_set_attribute(int device, int attribute, int value) {
    std::lock_guard lock(state().mutex);
    state().attributes[device][attribute] = value;
}

// Threads a block that each function can have, as if it used many registers.
EXPORT void fake_set_function_threads(int most) {
    std::lock_guard lock(state().mutex);
    state().function_max_threads = most;
}

EXPORT void* fake_context(int device) {
    return &state().contexts[device];
}

// Streams 0 and 1 of a device wait for the default stream; 2 and 3 do not.
EXPORT void* fake_stream(int device, int index) {
    std::lock_guard lock(state().mutex);
    Context* context = &state().contexts[device];
    return &state()
                .streams.try_emplace({device, index}, Stream{context, index < 2, 0, {}})
                .first->second;
}

EXPORT void fake_set_capture(void* stream, int status) {
    std::lock_guard lock(state().mutex);
    static_cast<Stream*>(stream)->capturing = status;
}

EXPORT int fake_get_capture(void* stream) {
    std::lock_guard lock(state().mutex);
    return static_cast<Stream*>(stream)->capturing;
}

// Runs what the stream captured; how many launches that were.
EXPORT int fake_replay(void* stream) {
    std::lock_guard lock(state().mutex);
    for (Node& node : static_cast<Stream*>(stream)->graph) {
        if (!node.function->module->program) continue;
        std::vector<void*> arguments;
        for (std::vector<char>& value : node.arguments) arguments.push_back(value.data());
        node.function->module->program->run(node.grid, node.threads, node.shared, arguments.data());
    }
    return static_cast<int>(static_cast<Stream*>(stream)->graph.size());
}

EXPORT void* fake_alloc(size_t bytes) {
    return allocate(bytes);
}
