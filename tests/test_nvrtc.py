"""NVRTC accepts the CUDA text of every kernel in the suite, for three architectures."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import CUDA_TEXTS
from kernels import add_kernel, leaky_relu_kernel, relu_kernel, sigmoid_kernel, softmax_kernel

import mytriton as triton
import mytriton.language as tl
from mytriton import _C

ARCHITECTURES = ("sm_80", "sm_90a", "sm_100")


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    if not _C.nvrtc_available():
        if os.environ.get("MYTRITON_REQUIRE_NVRTC") == "1":
            pytest.fail("MYTRITON_REQUIRE_NVRTC=1, but NVRTC cannot be found")
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")


@triton.jit
def every_op(f, i, b, out, iout, bout, n, alpha, flag, BLOCK: tl.constexpr):
    """Each row of the table and each conversion, on runtime values that text cannot fold."""
    at = tl.program_id(0) * BLOCK + tl.arange(-3, BLOCK - 3) + tl.num_programs(1)
    mask = (at < n) & (at >= 0) | flag
    x, k, t = tl.load(f + at, mask), tl.load(i + at + n, mask), tl.load(b + at, mask, other=True)
    k = -k + k * n - (k // n) % (n ^ 3) | k & ~n
    x = tl.minimum(tl.maximum(x, alpha), -x) / (1.5 + tl.exp(x)) - float("nan") * float("inf")
    t = (x < alpha) ^ (x <= k) & (x > 1) | ~(x >= 2) & (k == n) & (k != 3) & t
    k = tl.where(t, tl.minimum(k, n), tl.maximum(k, 1))
    total = tl.sum(x) + tl.max(x) * tl.min(x) + tl.sum(k) + tl.max(k) - tl.min(k) + tl.sum(t)
    tl.store(out, total)
    tl.store(out + at, x.to(tl.int32).to(tl.int1).to(tl.float32) + tl.load(out), mask)
    tl.store(iout + at, t.to(tl.int32) + k, mask)
    tl.store(bout + at, k.to(tl.int1) ^ x.to(tl.int1), mask)


def compile_all(src: str, name: str) -> None:
    entry = re.search(r"__global__\nvoid (\w+)\(", src)
    assert entry, name
    for arch in ARCHITECTURES:
        assert _C.nvrtc_compile(src, entry[1], arch)[:4] == b"\x7fELF", arch


@pytest.mark.parametrize("kernel", [add_kernel, relu_kernel, leaky_relu_kernel, sigmoid_kernel])
def test_seed_kernels(kernel: triton.JITFunction) -> None:
    x = np.zeros(4, np.float32)
    arrays = [x] * sum(p.name in ("x", "y", "out") for p in kernel.parameters)
    scalars = [4, 0.1][: len(kernel.parameters) - len(arrays) - 1]
    compile_all(kernel[1](*arrays, *scalars, BLOCK=256).cuda_src, kernel.name)


@pytest.mark.parametrize("block", [1, 32, 100, 1024])
def test_softmax(block: int) -> None:
    x = np.zeros(4, np.float32)
    compile_all(softmax_kernel[1](x, x, 4, 4, BLOCK=block).cuda_src, "softmax_kernel")


def test_every_op() -> None:
    f, i, b = np.zeros(4, np.float32), np.zeros(4, np.int32), np.zeros(4, np.bool_)
    compiled = every_op[1](f, i, b, f, i, b, 4, 0.5, True, BLOCK=64)
    compile_all(compiled.cuda_src, "every_op")


def test_an_error_shows_the_cuda_line() -> None:
    broken = 'extern "C" __global__ void k(float* x) {\n    x[0] = missing;\n}'
    with pytest.raises(triton.CompileError, match=r"(?s)missing.*x\[0\] = missing;"):
        _C.nvrtc_compile(broken, "k", "sm_90a")


@pytest.mark.last
def test_every_kernel_that_the_suite_has_compiled() -> None:
    with ThreadPoolExecutor() as threads:
        for _ in threads.map(lambda item: compile_all(*item), CUDA_TEXTS.items()):
            pass
