// What the fake driver knows: devices, contexts, streams, modules, functions, and who broke a rule.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device.h"

namespace fake {

// CUresult, as far as the fake itself returns it.
enum Result {
    kSuccess = 0,
    kInvalidValue = 1,
    kNotInitialized = 3,
    kInvalidDevice = 101,
    kInvalidImage = 200,
    kInvalidContext = 201,
    kNoBinaryForGpu = 209,
    kInvalidHandle = 400,
    kNotFound = 500,
    kLaunchOutOfResources = 701,
    kCaptureUnsupported = 900,
    kCaptureInvalidated = 901,
    kCaptureImplicit = 906,
};

// CUdevice_attribute and CUfunction_attribute.
enum Attribute {
    kFunctionMaxThreads = 0,
    kFunctionStaticShared = 1,
    kFunctionMaxDynamicShared = 8,
    kMaxThreads = 1,
    kMajor = 75,
    kMinor = 76,
    kSharedOptIn = 97,
};

constexpr int kDevices = 3;
constexpr int kSharedWithoutOptIn = 48 << 10;

struct Context {
    int device;
    bool retained = false;
};

struct Module {
    Context* context;
    std::shared_ptr<Program> program;  // null: an image that is only looked at
    bool loaded = true;
};

struct Function {
    Module* module;
    std::string name;
    int most_dynamic = kSharedWithoutOptIn;
    int static_shared() const;
};

// A launch as a graph keeps it: with copies of the arguments' values.
struct Node {
    Function* function;
    unsigned grid[3], threads, shared;
    std::vector<std::vector<char>> arguments;
};

struct Stream {
    Context* context;
    bool blocking;      // waits for the default stream, and that for it; torch's do not
    int capturing = 0;  // CUstreamCaptureStatus: 0 none, 1 active, 2 invalidated
    std::vector<Node> graph;
};

struct Failure {
    std::string call;
    int after;  // so many calls that go well
    int result;
};

struct State {
    std::mutex mutex;
    bool initialised = false;
    std::string log;
    std::vector<Failure> failures;
    std::map<std::string, int> counts;  // calls by name
    std::map<int, int> attributes[kDevices];
    int function_max_threads = 1024;
    Context contexts[kDevices] = {{0}, {1}, {2}};
    std::deque<Module> modules;
    std::deque<Function> functions;
    std::map<std::pair<int, int>, Stream> streams;

    State();
    void reset();
    // Allocates nothing, for our launches must not and a test counts.
    void write(std::string_view line) { log.append(line).append("\n"); }
    // What our launcher must never do, whatever a test makes it meet.
    int violation(const std::string& what, int result) {
        write("violation: " + what);
        return result;
    }
    bool captures(const Context* context, bool blocking_only) const;
    void spoil_captures();
};

State& state();
Context*& current();  // of this thread

}  // namespace fake
