// The program that runs one launch of a kernel of its batch, which it is linked with.
//
// Standard input says which kernel, how, and with what memory (see `read_launch`); standard output
// gets the memory after the launch. Where the kernel is wrong, standard error gets three parts, a
// line each: the kind of the error, a line of the kernel's text or 0, the message.
//
// The launch is run several times, from the same memory. Twice in ascending order of blocks and
// threads, with different values in shared memory and in what shuffles take from lanes that are
// not there: if the results differ, they depend on undefined values. Then in random orders, which
// must not show in the results either.
//
// A warp is 32 fibers that take turns; see run_block and run_warp for when.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fiber.h"
#include "interface.h"
#include "memory.h"

MtBuiltins mt_builtins;

namespace mt {

namespace {

// What undefined values are: NaNs as floats, a large and a negative number as ints.
constexpr uint32_t kPoisons[] = {0x7fe5a5a5, 0xffc5a5a5};

// A source of random orders; splitmix64.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    template <class T>
    void shuffle(std::vector<T>& values) {
        for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[next() % i]);
    }

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

  private:
    uint64_t state_;
};

template <class T>
std::vector<T> ascending(T count) {
    std::vector<T> values(count);
    for (T i = 0; i < count; ++i) values[i] = i;
    return values;
}

enum class Wait { nothing, barrier, warp, end };

struct Thread {
    Fiber fiber;
    Wait wait = Wait::nothing;
    int line = 0;  // of the barrier or shuffle where it waits
    MtShuffle shuffle = MtShuffle::none;
    unsigned mask = 0;
    unsigned long long bits = 0;  // what it offers, then what it gets
    int operand = 0, width = 32;
};

struct Launch {
    const MtEntry* entry = nullptr;
    unsigned threads = 1;
    MtIndex grid = {1, 1, 1};
    unsigned orders = 0;  // random ones, that is
    unsigned seed = 0;
    std::vector<void*> call;        // what mt_call gets
    std::vector<uint32_t> scalars;  // what it points to, besides pointers
    std::vector<std::string> initial;
};

Watch watch;
Launch launch;
std::vector<Thread> threads;
Thread* running = nullptr;
uint32_t poison = 0;
Random* random_order = nullptr;  // draws the order of blocks, warps and lanes; none: ascending
bool interrupted = false;        // a thread was, since its warp was last looked at

bool names(unsigned mask, unsigned lane) {
    return mask >> lane & 1;
}

// --- threads -------------------------------------------------------------------------------------

void thread_main() {
    launch.entry->call(launch.call.data());
    watch.settle();
    running->wait = Wait::end;
    running->fiber.suspend();
}

void suspend(Wait wait, int line) {
    watch.settle();
    running->wait = wait;
    running->line = line;
    running->fiber.suspend();
}

// Before an access: in a random order, other lanes may come first.
void interrupt() {
    if (!random_order || random_order->next() % 4 != 0) return;
    interrupted = true;
    suspend(Wait::nothing, 0);
}

void access(const void* at, size_t size, bool writes) {
    interrupt();
    watch.access(at, size, writes);
}

void resume(unsigned thread) {
    running = &threads[thread];
    now.thread = thread;
    mt_builtins.thread = {thread, 0, 0};
    running->fiber.resume();
}

// --- shuffles ------------------------------------------------------------------------------------

// The lane whose value `lane` gets.
unsigned source_lane(const Thread& thread, unsigned lane) {
    unsigned width = static_cast<unsigned>(thread.width);
    unsigned operand = static_cast<unsigned>(thread.operand);
    unsigned first = lane & ~(width - 1);
    unsigned last = lane | (width - 1);
    switch (thread.shuffle) {
        case MtShuffle::idx:
            return first + (operand & (width - 1));
        case MtShuffle::up:
            return lane < first + operand ? lane : lane - operand;
        case MtShuffle::down:
            return lane + operand > last ? lane : lane + operand;
        case MtShuffle::exclusive_or:
            return (lane ^ operand) > last ? lane : lane ^ operand;
        case MtShuffle::none:
            break;
    }
    return lane;
}

// Whether all lanes that this thread's mask names are at the same place with the same mask.
bool met(const Thread* warp, unsigned lanes, const Thread& thread) {
    for (unsigned i = 0; i < 32; ++i) {
        if (!names(thread.mask, i)) continue;
        if (i >= lanes || warp[i].wait != Wait::warp || warp[i].mask != thread.mask ||
            warp[i].line != thread.line)
            return false;
    }
    return true;
}

void exchange(Thread* warp, unsigned mask) {
    unsigned long long offered[32];
    for (unsigned i = 0; i < 32; ++i)
        offered[i] = names(mask, i) ? warp[i].bits : poison * 0x100000001ull;
    for (unsigned i = 0; i < 32; ++i) {
        if (!names(mask, i)) continue;
        warp[i].bits = offered[source_lane(warp[i], i)];
        warp[i].wait = Wait::nothing;
    }
}

// Lets lanes go on that have met. False: none have.
bool release(Thread* warp, unsigned lanes) {
    bool released = false;
    for (unsigned i = 0; i < lanes; ++i) {
        if (warp[i].wait != Wait::warp || !met(warp, lanes, warp[i])) continue;
        if (warp[i].shuffle == MtShuffle::none) ++now.syncs[(warp - threads.data()) / 32];
        exchange(warp, warp[i].mask);
        released = true;
    }
    return released;
}

// Runs a warp until all its threads wait at barriers, for lanes that do not come, or have ended.
void run_warp(unsigned warp) {
    unsigned first = warp * 32;
    unsigned lanes = launch.threads - first < 32 ? launch.threads - first : 32;
    std::vector<unsigned> order = ascending<unsigned>(lanes);
    do {
        interrupted = false;
        if (random_order) random_order->shuffle(order);
        for (unsigned i : order)
            if (threads[first + i].wait == Wait::nothing) resume(first + i);
    } while (interrupted || release(&threads[first], lanes));
}

// --- blocks --------------------------------------------------------------------------------------

std::string state(const Thread& thread) {
    std::string at = std::to_string(thread.line);
    switch (thread.wait) {
        case Wait::barrier:
            return "waits at the barrier in line " + at;
        case Wait::warp:
            return "waits in line " + at + " with mask " + std::to_string(thread.mask);
        case Wait::end:
            return "has ended";
        case Wait::nothing:
            break;
    }
    return "runs";
}

[[noreturn]] void fail_stuck_warp(unsigned thread) {
    const Thread& waiting = threads[thread];
    unsigned first = thread / 32 * 32;
    std::string absent;
    for (unsigned i = 0; i < 32 && absent.empty(); ++i) {
        if (!names(waiting.mask, i)) continue;
        if (first + i >= launch.threads)
            absent = "does not exist";
        else if (threads[first + i].wait != Wait::warp || threads[first + i].line != waiting.line ||
                 threads[first + i].mask != waiting.mask)
            absent = state(threads[first + i]);
        if (!absent.empty()) absent = "lane " + std::to_string(i) + " " + absent;
    }
    char mask[16];
    std::snprintf(mask, sizeof mask, "0x%08x", waiting.mask);
    now.thread = thread;
    fail("mask", waiting.line, here() + " waits for the lanes of mask " + mask + ", but " + absent);
}

// No thread runs and no warp can go on: true where all threads are at one barrier, false where all
// have ended.
bool at_barrier() {
    unsigned waiting = 0, elsewhere = 0;
    const Thread* barrier = nullptr;
    for (unsigned i = 0; i < launch.threads; ++i) {
        if (threads[i].wait == Wait::warp) fail_stuck_warp(i);
        if (threads[i].wait != Wait::barrier) continue;
        if (!barrier) barrier = &threads[i];
        (threads[i].line == barrier->line ? waiting : elsewhere) += 1;
    }
    if (waiting == launch.threads || !barrier) return waiting != 0;
    unsigned ended = launch.threads - waiting - elsewhere;
    fail("divergent barrier", barrier->line,
         std::to_string(waiting) + " of " + std::to_string(launch.threads) +
             " threads wait at this barrier, " + std::to_string(elsewhere) + " at another, " +
             std::to_string(ended) + " have ended");
}

void next_interval() {
    ++now.interval;
    now.syncs.assign((launch.threads + 31) / 32, 1);
}

void start_block() {
    next_interval();
    now.block_start = now.interval;
    watch.shared.forget();
    for (size_t i = 0; i + 4 <= watch.shared.bytes; i += 4)
        std::memcpy(watch.shared.data + i, &poison, 4);
    for (Thread& each : threads) {
        each.fiber.start(thread_main);
        each.wait = Wait::nothing;
    }
}

// From barrier to barrier, one warp after the other runs as far as it gets, so that a warp may be
// ahead of another by all that no barrier forbids.
void run_block() {
    start_block();
    std::vector<unsigned> order = ascending<unsigned>((launch.threads + 31) / 32);
    while (true) {
        if (random_order) random_order->shuffle(order);
        for (unsigned warp : order) run_warp(warp);
        if (!at_barrier()) return;
        next_interval();
        for (Thread& each : threads) each.wait = Wait::nothing;
    }
}

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
    float f;
    int i;
    std::memcpy(&f, at, argument.type == 'f' ? 4 : 0);
    std::memcpy(&i, at, argument.type == 'i' ? 4 : 0);
    if (argument.type == 'f')
        std::snprintf(text, sizeof text, "%.9g", f);
    else
        std::snprintf(text, sizeof text, "%d", argument.type == 'i' ? i : *at);
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
// number of arguments and, for each, its type, then for a pointer (f, i, b) its name, memory,
// offset in bytes and number of elements, and for a scalar (s) its bits. Then a newline and the
// contents of the memories.
void read_launch() {
    std::string key = word();
    for (int i = 0; i < mt_entry_count; ++i)
        if (key == mt_entries[i].key) launch.entry = &mt_entries[i];
    if (!launch.entry) fail("shim", 0, "there is no kernel " + key);
    launch.threads = static_cast<unsigned>(number());
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
        char type = word()[0];
        if (type == 's') {
            launch.scalars.push_back(static_cast<uint32_t>(number()));
            launch.call.push_back(&launch.scalars.back());
            continue;
        }
        Argument& argument = watch.arguments.emplace_back();
        argument.type = type;
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

std::string here() {
    const MtIndex& block = mt_builtins.block;
    return "thread " + std::to_string(now.thread) + " of block (" + std::to_string(block.x) + ", " +
           std::to_string(block.y) + ", " + std::to_string(block.z) + ")";
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

void mt_barrier(int line) {
    mt::suspend(mt::Wait::barrier, line);
}

unsigned long long mt_exchange(int line, MtShuffle kind, unsigned mask, unsigned long long bits,
                               int operand, int width) {
    if (!mt::names(mask, mt::now.thread % 32))
        mt::fail("mask", line, mt::here() + " is not named in its own mask");
    mt::Thread& thread = *mt::running;
    thread.shuffle = kind;
    thread.mask = mask;
    thread.bits = bits;
    thread.operand = operand;
    thread.width = width;
    mt::suspend(mt::Wait::warp, line);
    return thread.bits;
}

// -fsanitize=thread, whose own runtime is not linked.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
#define MT_ACCESS(size)                           \
    void __tsan_read##size(void* at) {            \
        mt::access(at, size, false);              \
    }                                             \
    void __tsan_write##size(void* at) {           \
        mt::access(at, size, true);               \
    }                                             \
    void __tsan_unaligned_read##size(void* at) {  \
        mt::access(at, size, false);              \
    }                                             \
    void __tsan_unaligned_write##size(void* at) { \
        mt::access(at, size, true);               \
    }
MT_ACCESS(1)
MT_ACCESS(2)
MT_ACCESS(4)
MT_ACCESS(8)
MT_ACCESS(16)
void __tsan_read_range(void* at, size_t size) {
    mt::access(at, size, false);
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
    mt_builtins.block_dim = {mt::launch.threads, 1, 1};
    mt::watch.shared.data = mt::launch.entry->shared;
    mt::watch.shared.bytes =
        static_cast<size_t>(mt::launch.entry->shared_end - mt::launch.entry->shared);
    mt::threads = std::vector<mt::Thread>(mt::launch.threads);
    for (const std::string& each : mt::run_launch())
        std::fwrite(each.data(), 1, each.size(), stdout);
    return 0;
}
