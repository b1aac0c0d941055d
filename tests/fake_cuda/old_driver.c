// A driver library that lacks what we need: its version is FAKE_CUDA_VERSION, and it has no more.
#include <stdlib.h>

int cuDriverGetVersion(int* version) {
    const char* chosen = getenv("FAKE_CUDA_VERSION");
    *version = chosen ? atoi(chosen) : 0;
    return 0;
}

int cuInit(unsigned flags) {
    return flags ? 1 : 0;
}
