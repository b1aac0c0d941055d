// Runs the host compiler as a child process in a folder of its own, which is removed afterwards.
#include "cpu/compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include "disk/cache.h"
#include "disk/machine.h"
#include "ir/error.h"

extern char** environ;

namespace mytriton {

namespace {

namespace fs = std::filesystem;

// No fast-math: every operation keeps its IEEE meaning, and nothing is contracted to an fma.
const char* const kFlags[] = {
    "-std=c++20",
    "-O3",
    "-march=native",
    "-mprefer-vector-width=512",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fno-tree-slp-vectorize",  // g++ 12 crashes in it on some kernels; blocks are vectors already
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-exceptions",
    "-fno-rtti",
    "-Wno-psabi",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-pipe",
};

// Math of f64 is the C library's.
const char* const kLibraries[] = {"-Wl,--as-needed", "-lm"};

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "mytriton-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw RuntimeError("cannot make a folder for the host compiler: " + pattern + ": " +
                               std::strerror(errno));
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    fs::path operator/(const char* name) const { return path_ / name; }

  private:
    fs::path path_;
};

std::string read_file(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

// Exit status of the command; its stdout and stderr go to `log`.
int run(const std::vector<std::string>& command, const fs::path& log) {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw RuntimeError("cannot run " + command[0] + ": " + std::strerror(error));
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            throw RuntimeError("lost the host compiler: " + std::string(std::strerror(errno)));
    return status;
}

bool is_executable(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_in_path(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return is_executable(name) ? std::optional(name) : std::nullopt;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty() && is_executable(fs::path(folder) / name))
            return (fs::path(folder) / name).string();
    return std::nullopt;
}

// What a compiler is, for keys: its file and what it says of itself, asked once. Empty where it
// does not say; then compiling is what will fail.
std::string identity_of(const std::string& compiler, const fs::path& log) {
    static std::mutex mutex;
    static auto* known = new std::map<std::string, std::string>();
    const std::string file = file_identity(compiler);
    std::lock_guard lock(mutex);
    auto [found, is_new] = known->try_emplace(file);
    if (is_new && run({compiler, "--version"}, log) == 0)
        found->second = file + "\n" + read_file(log);
    return found->second;
}

void run_compiler(const std::string& compiler, const std::string& text,
                  const TemporaryFolder& folder) {
    std::ofstream(folder / "kernel.cpp") << text;
    std::vector<std::string> command = {compiler};
    command.insert(command.end(), std::begin(kFlags), std::end(kFlags));
    command.insert(command.end(),
                   {"-o", (folder / "kernel.so").string(), (folder / "kernel.cpp").string()});
    command.insert(command.end(), std::begin(kLibraries), std::end(kLibraries));
    if (run(command, folder / "log") != 0)
        throw RuntimeError("the host compiler " + compiler + " failed:\n" +
                           read_file(folder / "log"));
}

void* build(const std::string& compiler, const std::string& text, const std::string& entry,
            const std::string& kernel) {
    TemporaryFolder folder;
    const fs::path object = folder / "kernel.so";
    const auto open_object = [&] { return dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL); };
    DiskCache* cache = disk_cache();
    BinaryRequest request{.kind = "cpu", .kernel = kernel, .target = "", .inputs = {text}};
    if (cache) {
        request.target = host_target();
        request.inputs.insert(request.inputs.end(), std::begin(kFlags), std::end(kFlags));
        request.inputs.insert(request.inputs.end(), std::begin(kLibraries), std::end(kLibraries));
        request.inputs.push_back(identity_of(compiler, folder / "log"));
        if (request.inputs.back().empty()) cache = nullptr;
    }

    void* library = nullptr;
    if (std::optional<Binary> found = cache ? cache->find(request) : std::nullopt) {
        // Not the cache's own file, which may be another one since its checksum was verified.
        // One that was cut short would crash the dynamic linker.
        std::ofstream file(object, std::ios::binary);
        file << found->image;
        file.close();
        if (!file) throw RuntimeError("cannot write a compiled kernel to " + object.string());
        library = open_object();
        if (!library) cache->report_damage(request, std::string("cannot be loaded: ") + dlerror());
    }
    const bool is_new = !library;
    if (is_new) {
        run_compiler(compiler, text, folder);
        library = open_object();
        if (!library)
            throw RuntimeError(std::string("cannot load a compiled kernel: ") + dlerror());
    }
    void* address = dlsym(library, entry.c_str());
    if (!address)
        throw RuntimeError(std::string("a compiled kernel lacks its entry: ") + dlerror());
    if (cache && is_new) {
        const std::string image = read_file(object);
        if (image.size() == fs::file_size(object)) cache->keep(request, {image, ""});
    }
    return address;
}

}  // namespace

std::optional<std::string> find_host_compiler() {
    std::vector<std::string> names = {"c++", "g++", "clang++"};
    if (const char* chosen = std::getenv("CXX"); chosen && *chosen)
        names.insert(names.begin(), chosen);
    for (const std::string& name : names)
        if (std::optional<std::string> path = find_in_path(name)) return path;
    return std::nullopt;
}

void* compile_host(const std::string& compiler, const std::string& text, const std::string& entry,
                   const std::string& kernel) {
    static std::mutex mutex;
    static auto* known = new std::map<std::string, void*>();
    {
        std::lock_guard lock(mutex);
        if (auto found = known->find(text); found != known->end()) return found->second;
    }
    // Not under the lock: two threads may compile two kernels at once.
    void* address = build(compiler, text, entry, kernel);
    std::lock_guard lock(mutex);
    return known->emplace(text, address).first->second;
}

}  // namespace mytriton
