// Runs CUDA text on the CPU for the fake driver: on raw pointers, in this process.
//
// The text is compiled by the host's compiler against tests/cuda_on_cpu/shim.h, uninstrumented:
// runner.py is who looks for races. Here it matters what a launch hands over. An access outside the
// memory of allocate(), or beyond the dynamic shared memory of the launch, is a crash.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fake {

struct Parameter {
    size_t bytes;
    bool is_pointer;
};

class Program {
  public:
    // Ends the process where the text does not compile: no test wants that.
    explicit Program(const std::string& text);
    ~Program();
    Program(const Program&) = delete;

    const std::string& entry() const { return entry_; }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    size_t static_shared_bytes() const;

    // All blocks, one after the other in an order that is not the ascending one. `arguments` are
    // addresses of values. Not in two threads at once.
    void run(const unsigned (&grid)[3], unsigned threads, size_t dynamic_bytes,
             void* const* arguments) const;

  private:
    std::string entry_;
    std::vector<Parameter> parameters_;
    struct Library;
    std::unique_ptr<Library> library_;
};

// Bytes of 0xff that lie before a page that nobody may touch, aligned to 16. Never freed.
void* allocate(size_t bytes);
// Whether an argument may point there: into such memory or right behind it.
bool is_allocated(const void* pointer);

}  // namespace fake
