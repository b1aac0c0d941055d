// The program that runs one launch of a kernel of its batch, which it is linked with.
//
// Standard input says which kernel, how, and with what memory (see `read_launch`); standard output
// gets the memory after the launch. Where the kernel is wrong, standard error gets three parts, a
// line each: the kind of the error, a line of the kernel's text or 0, the message.
//
// The launch is run several times, from the same memory. Twice in ascending order of blocks and
// threads, with different values in shared memory and in what shuffles take from lanes that are
// not there: if the results differ, they depend on undefined values. Then in random orders, where
// threads also take turns before accesses; that must not show in the results either.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "block.h"
#include "calls.h"

namespace mt {

namespace {

// What undefined values are: NaNs as floats, a large and a negative number as ints.
constexpr uint32_t kPoisons[] = {0x7fe5a5a5, 0xffc5a5a5};

struct Launch {
    const MtEntry* entry = nullptr;
    MtIndex grid = {1, 1, 1};
    unsigned orders = 0;  // random ones, that is
    unsigned seed = 0;
    std::vector<void*> call;        // what mt_call gets
    std::vector<uint64_t> scalars;  // what it points to, besides pointers
    std::vector<std::string> initial;
};

Launch launch;

// --- launches ------------------------------------------------------------------------------------

void run_grid(uint32_t poison_now, Random* order_now) {
    poison = poison_now;
    random_order = order_now;
    now.interval = 0;
    for (size_t i = 0; i < watch.memories.size(); ++i) {
        watch.memories[i].forget();
        std::memcpy(watch.memories[i].data, launch.initial[i].data(), watch.memories[i].bytes);
    }
    const MtIndex& grid = launch.grid;
    std::vector<size_t> order = ascending<size_t>(size_t(grid.x) * grid.y * grid.z);
    if (random_order) random_order->shuffle(order);
    for (size_t block : order) {
        mt_builtins.block = {static_cast<unsigned>(block % grid.x),
                             static_cast<unsigned>(block / grid.x % grid.y),
                             static_cast<unsigned>(block / grid.x / grid.y)};
        run_block();
    }
}

std::string value(const Argument& argument, const char* at) {
    char text[32];
    float narrow;
    double number = 0;
    unsigned long long bits = 0;
    std::memcpy(&bits, at, static_cast<size_t>(argument.bytes));
    std::memcpy(&narrow, &bits, sizeof narrow);
    std::memcpy(&number, &bits, sizeof number);
    int unused = static_cast<int>(64 - 8 * argument.bytes);
    long long whole = static_cast<long long>(bits << unused) >> unused;
    if (argument.type == 'f')
        std::snprintf(text, sizeof text, "%.9g", argument.bytes == 4 ? double(narrow) : number);
    else if (argument.type == 'i')
        std::snprintf(text, sizeof text, "%lld", whole);
    else
        std::snprintf(text, sizeof text, argument.type == 'u' ? "%llu" : "0x%llx", bits);
    return text;
}

void compare(const std::vector<std::string>& first, const char* kind, const char* because) {
    for (const Argument& each : watch.arguments) {
        const Memory& memory = watch.memories[each.memory];
        for (int64_t i = 0; i < each.count; ++i) {
            const char* at = each.pointer + i * each.element_bytes();
            const char* before = first[each.memory].data() + (at - memory.data);
            if (std::memcmp(at, before, static_cast<size_t>(each.element_bytes())) == 0) continue;
            fail(kind, 0,
                 each.element(at) + " is " + value(each, before) + " or " + value(each, at) + ", " +
                     because);
        }
    }
}

std::vector<std::string> contents() {
    std::vector<std::string> out;
    for (const Memory& each : watch.memories) out.emplace_back(each.data, each.bytes);
    return out;
}

std::vector<std::string> run_launch() {
    run_grid(kPoisons[0], nullptr);
    std::vector<std::string> result = contents();
    run_grid(kPoisons[1], nullptr);
    compare(result, "poison", "by values that nothing defines");
    for (unsigned i = 0; i < launch.orders; ++i) {
        Random random(launch.seed + i);
        run_grid(kPoisons[0], &random);
        compare(result, "order-dependent result", "by the order in which threads run");
    }
    return result;
}

// --- input and output ----------------------------------------------------------------------------

std::string word() {
    char text[256];
    if (std::scanf("%255s", text) != 1) fail("shim", 0, "the launch's description ends too early");
    return text;
}

size_t number() {
    return std::strtoull(word().c_str(), nullptr, 10);
}

// Words: the kernel's key; numbers of threads, of blocks by axis, of random orders; a seed; whether
// to look for races, and whether two equal writes are none (1 or 0); the number of memories and,
// for each, its bytes, the offset from a page's start and the size of its smallest elements; the
// number of arguments and, for each, its type, then for a pointer (f4: a float of 4 bytes; also i,
// u and x) its name, memory, offset in bytes and number of elements, and for a scalar (s) its bits.
// Then a newline and the contents of the memories.
void read_launch() {
    std::string key = word();
    for (int i = 0; i < mt_entry_count; ++i)
        if (key == mt_entries[i].key) launch.entry = &mt_entries[i];
    if (!launch.entry) fail("shim", 0, "there is no kernel " + key);
    threads = std::vector<Thread>(number());
    for (unsigned* axis : {&launch.grid.x, &launch.grid.y, &launch.grid.z})
        *axis = static_cast<unsigned>(number());
    launch.orders = static_cast<unsigned>(number());
    launch.seed = static_cast<unsigned>(number());
    watch.races = number() != 0;
    watch.equal_writes = number() != 0;

    watch.memories.resize(number());
    std::vector<size_t> offsets;
    for (Memory& each : watch.memories) {
        each.bytes = number();
        offsets.push_back(number());
        each.grain = number();
    }
    watch.lay_out(offsets);

    watch.arguments.reserve(number());
    launch.scalars.reserve(watch.arguments.capacity());
    for (size_t i = 0; i < watch.arguments.capacity(); ++i) {
        std::string type = word();
        if (type == "s") {
            launch.scalars.push_back(number());
            launch.call.push_back(&launch.scalars.back());
            continue;
        }
        Argument& argument = watch.arguments.emplace_back();
        argument.type = type[0];
        argument.bytes = type[1] - '0';
        argument.name = word();
        argument.memory = number();
        argument.pointer = watch.memories[argument.memory].data + number();
        argument.count = static_cast<int64_t>(number());
        launch.call.push_back(&argument.pointer);
    }

    std::getchar();
    for (const Memory& each : watch.memories) {
        std::string& contents = launch.initial.emplace_back(each.bytes, '\0');
        if (std::fread(contents.data(), 1, each.bytes, stdin) != each.bytes)
            fail("shim", 0, "the contents of the memories end too early");
    }
}

// What the checks miss, such as an endless recursion.
void on_signal(int signal) {
    fail("crash", 0, "signal " + std::to_string(signal) + " in " + here());
}

void catch_signals() {
    static char stack[64 << 10];
    stack_t alternative = {};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    for (int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(each, &action, nullptr);
}

}  // namespace

void fail(const char* kind, int line, const std::string& message) {
    std::fprintf(stderr, "%s\n%d\n%s\n", kind, line, message.c_str());
    std::fflush(stderr);
    _exit(1);
}

void Watch::stray(const char* at, bool writes) const {
    const char* builtins = reinterpret_cast<const char*>(&mt_builtins);
    if (at >= builtins && at < builtins + sizeof mt_builtins) return;
    const char* frame = static_cast<const char*>(__builtin_frame_address(0));
    if (at >= frame && at < frame + Fiber::kBytes) return;  // a local variable
    fail("out of bounds", 0,
         here() + (writes ? " writes" : " reads") +
             " memory that is neither an argument's nor shared");
}

}  // namespace mt

// --- what instrumented kernels call --------------------------------------------------------------

extern "C" {

// -fsanitize=thread, whose own runtime is not linked.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
#define MT_ACCESS(size)                           \
    void __tsan_read##size(void* at) {            \
        mt::access(at, size, mt::Kind::read);     \
    }                                             \
    void __tsan_write##size(void* at) {           \
        mt::access(at, size, mt::Kind::write);    \
    }                                             \
    void __tsan_unaligned_read##size(void* at) {  \
        mt::access(at, size, mt::Kind::read);     \
    }                                             \
    void __tsan_unaligned_write##size(void* at) { \
        mt::access(at, size, mt::Kind::write);    \
    }
MT_ACCESS(1)
MT_ACCESS(2)
MT_ACCESS(4)
MT_ACCESS(8)
MT_ACCESS(16)
void __tsan_read_range(void* at, size_t size) {
    mt::access(at, size, mt::Kind::read);
}
void __tsan_write_range(void* at, size_t size) {
    for (size_t done = 0; done < size; done += mt::kMostWritten)
        mt::access(static_cast<char*>(at) + done, std::min(size - done, mt::kMostWritten),
                   mt::Kind::write);
}

// -fsanitize=... of undefined arithmetic, with -fno-sanitize-recover; neither is this one's linked.
struct MtPlace {
    const char* file;
    unsigned line, column;
};
#define MT_UNDEFINED(name, what)                                            \
    [[noreturn]] void __ubsan_handle_##name##_abort(const MtPlace* place) { \
        mt::fail("undefined", int(place->line), mt::here() + ": " what);    \
    }
MT_UNDEFINED(add_overflow, "integer overflow")
MT_UNDEFINED(sub_overflow, "integer overflow")
MT_UNDEFINED(mul_overflow, "integer overflow")
MT_UNDEFINED(negate_overflow, "integer overflow")
MT_UNDEFINED(divrem_overflow, "integer division by zero, or overflow")
MT_UNDEFINED(shift_out_of_bounds, "shift by too many bits")
MT_UNDEFINED(float_cast_overflow, "conversion of a float that does not fit the integer type")
MT_UNDEFINED(out_of_bounds, "index beyond an array")
MT_UNDEFINED(type_mismatch_v1, "misaligned access")
MT_UNDEFINED(load_invalid_value, "a bool that is neither true nor false")

}  // extern "C"

int main() {
    mt::catch_signals();
    mt::read_launch();
    mt_builtins.grid_dim = mt::launch.grid;
    mt_builtins.block_dim = {mt::thread_count(), 1, 1};
    mt::watch.shared.data = mt::launch.entry->shared;
    mt::watch.shared.bytes =
        static_cast<size_t>(mt::launch.entry->shared_end - mt::launch.entry->shared);
    mt::body = [] { mt::launch.entry->call(mt::launch.call.data()); };
    for (const std::string& each : mt::run_launch())
        std::fwrite(each.data(), 1, each.size(), stdout);
    return 0;
}
