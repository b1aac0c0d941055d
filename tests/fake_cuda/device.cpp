// Compiles CUDA text with the host's compiler and runs its threads as fibers.
#include "device.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "cuda_on_cpu/block.h"
#include "cuda_on_cpu/calls.h"

namespace mt {

void fail(const char* kind, int line, const std::string& message) {
    std::fprintf(stderr, "fake device: %s in line %d: %s\n", kind, line, message.c_str());
    std::abort();
}

void Watch::stray(const char*, bool) const {}

}  // namespace mt

// Where the text's dynamic shared memory begins.
extern "C" __attribute__((visibility("default"))) unsigned char* mt_dynamic_shared;
unsigned char* mt_dynamic_shared = nullptr;

namespace fake {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void give_up(const std::string& message) {
    std::fprintf(stderr, "fake device: %s\n", message.c_str());
    std::abort();
}

// A page that nobody may touch follows; the bytes end as close to it as their alignment lets them.
char* before_a_guard(size_t bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t used = (bytes + 15) / 16 * 16;
    const size_t room = (used + page - 1) / page * page;
    void* all =
        mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) give_up("no memory");
    char* end = static_cast<char*>(all) + room;
    if (mprotect(end, page, PROT_NONE) != 0) give_up("no guard page");
    std::memset(all, 0xff, room);
    return end - used;
}

// Memory whose size the launch says, as a pointer to what run() has made.
std::string with_dynamic_shared(std::string text) {
    const size_t at = text.find("extern __shared__ ");
    if (at == text.npos) return text;
    return text.replace(at, text.find(';', at) - at,
                        "unsigned char* const mt_shared = mt_dynamic_shared");
}

// The text as a translation unit whose one entry is called like any function.
std::string source_of(const std::string& text, const std::string& entry,
                      const std::string& parameters, const std::string& key) {
    std::string values, facts;
    int count = 0;
    std::istringstream all(parameters);
    for (std::string each; std::getline(all, each, ',');) {
        const size_t end = each.rfind(' ');
        const size_t start = each.find_first_not_of(" \n");
        const std::string type = each.substr(start, end - start);
        values += (count ? ", *static_cast<" : "*static_cast<") + type + "*>(arguments[" +
                  std::to_string(count) + "])";
        facts += "sizeof(" + type + "), " + (type.ends_with('*') ? "1, " : "0, ");
        ++count;
    }
    return "#include \"shim.h\"\nextern \"C\" unsigned char* mt_dynamic_shared;\n#define MT_KEY "
           "\"" +
           key + "\"\nMT_TEXT_BEGIN(" + key + ")\n#line 1 \"" + entry + ".cu\"\n" +
           with_dynamic_shared(text) + "\nMT_CALL(void* const* arguments) {\n    " + entry + "(" +
           values + ");\n}\nextern const unsigned long facts[] = {" + facts + "0};\nMT_TEXT_END(" +
           key + ")\nextern \"C\" {\nextern const MtEntry mt_entry = MT_ENTRY(" + key +
           ");\nextern const unsigned long* const mt_facts = mt_" + key +
           "::facts;\nextern const int mt_fact_count = " + std::to_string(count) + ";\n}\n";
}

// A folder that one writer has to itself.
struct WorkFolder {
    fs::path path;
    explicit WorkFolder(const fs::path& parent) {
        std::string pattern = (parent / "work-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) give_up("no folder for work");
        path = pattern;
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

// The object of a source, which other processes may have compiled. CMake empties the folder
// whenever it builds this library. The object is linked with this library, which has what shim.h
// declares.
std::string object_of(const std::string& source) {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&is_allocated), &self) == 0) give_up("who am I?");
    const fs::path folder = fs::path(self.dli_fname).parent_path() / "kernels";
    fs::create_directories(folder);
    const fs::path object = folder / (std::to_string(std::hash<std::string>()(source)) + ".so");
    if (fs::exists(object)) return object;
    const WorkFolder work(folder);
    const std::string base = (work.path / "kernel").string();
    std::ofstream(base + ".cpp") << source;
    const std::string command =
        std::string(FAKE_CUDA_CXX) +
        " -std=c++20 -O0 -w -shared -fPIC -fno-exceptions -ffp-contract=off -I" FAKE_CUDA_SOURCE
        "/tests/cuda_on_cpu -I" FAKE_CUDA_SOURCE "/csrc " +
        base + ".cpp " + self.dli_fname + " -o " + base + ".so";
    if (std::system(command.c_str()) != 0) give_up("cannot compile\n" + source);
    fs::rename(base + ".so", object);
    return object;
}

void* open_object(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) give_up(dlerror());
    return library;
}

template <class T>
T& symbol(void* library, const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr) give_up(std::string("there is no ") + name);
    return *static_cast<T*>(found);
}

}  // namespace

// The same text is compiled once in a process and stays loaded.
struct Program::Library {
    const MtEntry* entry;
    const unsigned long* facts;
    int count;
};

Program::Program(const std::string& text) {
    const size_t global = text.find("__global__");
    const size_t name = text.find("void ", global) + 5;
    const size_t open = text.find('(', name);
    if (global == text.npos || open == text.npos) give_up("no kernel in\n" + text);
    entry_ = text.substr(name, open - name);
    const std::string parameters = text.substr(open + 1, text.find(')', open) - open - 1);
    static auto* known = new std::map<std::string, Library>();
    auto at = known->find(text);
    if (at == known->end()) {
        const std::string key = "k" + std::to_string(std::hash<std::string>()(text));
        void* library = open_object(object_of(source_of(text, entry_, parameters, key)));
        const Library made{&symbol<const MtEntry>(library, "mt_entry"),
                           symbol<const unsigned long* const>(library, "mt_facts"),
                           symbol<const int>(library, "mt_fact_count")};
        at = known->emplace(text, made).first;
    }
    library_ = std::make_unique<Library>(at->second);
    for (int i = 0; i < library_->count; ++i)
        parameters_.push_back({library_->facts[2 * i], library_->facts[2 * i + 1] != 0});
}

Program::~Program() = default;

size_t Program::static_shared_bytes() const {
    return static_cast<size_t>(library_->entry->shared_end - library_->entry->shared);
}

void Program::run(const unsigned (&grid)[3], unsigned threads, size_t dynamic_bytes,
                  void* const* arguments) const {
    static const MtEntry* running_entry;
    static void* const* running_arguments;
    static auto* shared = new std::map<size_t, char*>();
    char*& dynamic = (*shared)[dynamic_bytes];
    if (dynamic == nullptr) dynamic = before_a_guard(dynamic_bytes);
    mt_dynamic_shared = reinterpret_cast<unsigned char*>(dynamic);

    running_entry = library_->entry;
    running_arguments = arguments;
    mt::body = [] { running_entry->call(running_arguments); };
    mt::poison = 0x7fe5a5a5;  // a NaN
    mt::watch.shared.data = library_->entry->shared;
    mt::watch.shared.bytes = static_shared_bytes();
    if (mt::thread_count() != threads) mt::threads = std::vector<mt::Thread>(threads);
    mt_builtins.grid_dim = {grid[0], grid[1], grid[2]};
    mt_builtins.block_dim = {threads, 1, 1};

    mt::Random random(1);
    std::vector<size_t> order = mt::ascending<size_t>(size_t{grid[0]} * grid[1] * grid[2]);
    random.shuffle(order);
    for (size_t block : order) {
        mt_builtins.block = {static_cast<unsigned>(block % grid[0]),
                             static_cast<unsigned>(block / grid[0] % grid[1]),
                             static_cast<unsigned>(block / grid[0] / grid[1])};
        std::memset(dynamic, 0xff, dynamic_bytes);
        mt::run_block();
    }
}

namespace {

// First byte -> the byte behind the last.
std::map<const char*, const char*>& allocations() {
    static auto* all = new std::map<const char*, const char*>();
    return *all;
}
std::mutex allocations_mutex;

}  // namespace

void* allocate(size_t bytes) {
    char* memory = before_a_guard(bytes);
    std::lock_guard lock(allocations_mutex);
    allocations()[memory] = memory + bytes;
    return memory;
}

bool is_allocated(const void* pointer) {
    const char* at = static_cast<const char*>(pointer);
    std::lock_guard lock(allocations_mutex);
    const auto next = allocations().upper_bound(at);
    return next != allocations().begin() && at <= std::prev(next)->second;
}

}  // namespace fake
