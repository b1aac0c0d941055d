// A fiber: a function with a stack of its own that can stop in the middle and be resumed there.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__x86_64__) && !defined(MT_UCONTEXT)
#define MT_SWITCH_IN_ASSEMBLY 1
#else
#include <ucontext.h>
#endif

namespace mt {

#ifdef MT_SWITCH_IN_ASSEMBLY

// Saves this context (the registers that a call preserves, on its stack; the stack pointer at
// `save`) and goes on with the one at `load`.
extern "C" void mt_switch(void** save, void* load);
asm(R"(
    .text
    .globl mt_switch
    .type mt_switch, @function
mt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size mt_switch, . - mt_switch
)");

struct Context {
    void* top = nullptr;

    void make(char* stack, size_t bytes, void (*entry)()) {
        void** words = reinterpret_cast<void**>(stack + bytes);
        *--words = nullptr;  // as if called: the entry finds its stack 8 bytes off alignment
        *--words = reinterpret_cast<void*>(entry);
        for (int i = 0; i < 6; ++i) *--words = nullptr;
        top = words;
    }
    static void change(Context& from, Context& to) { mt_switch(&from.top, to.top); }
};

#else

struct Context {
    ucontext_t context;

    void make(char* stack, size_t bytes, void (*entry)()) {
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = bytes;
        context.uc_link = nullptr;
        makecontext(&context, entry, 0);
    }
    static void change(Context& from, Context& to) { swapcontext(&from.context, &to.context); }
};

#endif

class Fiber {
  public:
    static constexpr size_t kBytes = 128 << 10;  // of its stack

    Fiber() {
        void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) abort();
        stack_ = static_cast<char*>(memory);
        mprotect(stack_, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
    }
    Fiber(const Fiber&) = delete;

    // The entry never returns: at its end it calls suspend() and is not resumed again.
    void start(void (*entry)()) { context_.make(stack_, kBytes, entry); }
    void resume() { Context::change(resumer(), context_); }
    void suspend() { Context::change(context_, resumer()); }

  private:
    static Context& resumer() {
        static Context context;
        return context;
    }
    char* stack_;
    Context context_;
};

}  // namespace mt
