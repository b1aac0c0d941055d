// A test of the whole CUDA path on the fake driver and the fake NVRTC: nobody breaks a rule.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "controls.h"
#include "cuda/driver.h"

namespace mytriton {

// Before anything of ours looks for them.
inline const int kFakes = setenv("MYTRITON_LIBCUDA", FAKE_CUDA_PATH, 1) |
                          setenv("MYTRITON_NVRTC_PATH", FAKE_NVRTC_FOLDER, 1) |
                          setenv("MYTRITON_CACHE_DIR", "0", 1);

class CudaTest : public testing::Test {
  protected:
    void SetUp() override {
        driver();  // initialised, whichever test comes first
        fake.reset();
    }
    void TearDown() override { EXPECT_EQ(fake.count("violation"), 0) << fake.log(); }

    Fake fake;
};

}  // namespace mytriton
