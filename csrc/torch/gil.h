// Lets other Python threads run for a while.
#pragma once

#include <Python.h>

namespace mytriton {

// Cheaper than pybind11's, which looks its own records up; none of them are needed here.
class WithoutGil {
  public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() { PyEval_RestoreThread(state_); }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

  private:
    PyThreadState* state_;
};

}  // namespace mytriton
