"""The texts of the reference kernels, compile-only launches, and when a kernel is compiled anew."""

import dataclasses
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from kernels import (
    add_kernel,
    copy_kernel,
    leaky_relu_kernel,
    mixed_widths_kernel,
    relu_kernel,
    sigmoid_kernel,
)

import mytriton
import mytriton.language as tl

# What the three kernels with one input have in common.
LOAD_SSA = """\
%0 = program_id {axis=0} : i32
%1 = mul %0, 256 : i32
%2 = arange {start=0, end=256} : vector<256 x i32>
%3 = add %1, %2 : vector<256 x i32>
%4 = addptr x, %3 : vector<256 x ptr<f32>>
%5 = cmp_lt %3, n : vector<256 x bool>
%6 = load %4, %5, 0.0 : vector<256 x f32>
"""
LOAD_CUDA = """\
    int v0 = blockIdx.x;
    int v1 = (v0 * 256);
    int v2 = threadIdx.x;
    int v3 = (v1 + v2);
    bool v5 = (v3 < n);
    float v6 = (v5 ? x[v3] : 0.0f);
"""


@dataclasses.dataclass
class Golden:
    kernel: mytriton.JITFunction
    arguments: str  # one letter a run-time argument: an (a)rray, an (i)nt or a (f)loat
    ssa: str
    cuda: str


GOLDENS = [
    Golden(
        add_kernel,
        "aaai",
        """\
%0 = program_id {axis=0} : i32
%1 = mul %0, 256 : i32
%2 = arange {start=0, end=256} : vector<256 x i32>
%3 = add %1, %2 : vector<256 x i32>
%4 = addptr x, %3 : vector<256 x ptr<f32>>
%5 = cmp_lt %3, n : vector<256 x bool>
%6 = load %4, %5, 0.0 : vector<256 x f32>
%7 = addptr y, %3 : vector<256 x ptr<f32>>
%8 = load %7, %5, 0.0 : vector<256 x f32>
%9 = add %6, %8 : vector<256 x f32>
%10 = addptr out, %3 : vector<256 x ptr<f32>>
store %10, %9, %5""",
        """\
extern "C" __global__
void add_kernel(float* x, float* y, float* out, int n) {
    int v0 = blockIdx.x;
    int v1 = (v0 * 256);
    int v2 = threadIdx.x;
    int v3 = (v1 + v2);
    bool v5 = (v3 < n);
    float v6 = (v5 ? x[v3] : 0.0f);
    float v8 = (v5 ? y[v3] : 0.0f);
    float v9 = (v6 + v8);
    if (v5) {
        out[v3] = v9;
    }
}""",
    ),
    Golden(
        relu_kernel,
        "aai",
        LOAD_SSA
        + """\
%7 = maximum %6, 0.0 : vector<256 x f32>
%8 = addptr out, %3 : vector<256 x ptr<f32>>
store %8, %7, %5""",
        """\
extern "C" __global__
void relu_kernel(float* x, float* out, int n) {
"""
        + LOAD_CUDA
        + """\
    float v7 = (isnan(v6) ? (v6) : (isnan(0.0f) ? (0.0f) : ((v6) > (0.0f) ? (v6) : (0.0f))));
    if (v5) {
        out[v3] = v7;
    }
}""",
    ),
    Golden(
        leaky_relu_kernel,
        "aaif",
        LOAD_SSA
        + """\
%7 = cmp_lt %6, 0.0 : vector<256 x bool>
%8 = mul alpha, %6 : vector<256 x f32>
%9 = select %7, %8, %6 : vector<256 x f32>
%10 = addptr out, %3 : vector<256 x ptr<f32>>
store %10, %9, %5""",
        """\
extern "C" __global__
void leaky_relu_kernel(float* x, float* out, int n, float alpha) {
"""
        + LOAD_CUDA
        + """\
    bool v7 = (v6 < 0.0f);
    float v8 = (alpha * v6);
    float v9 = (v7 ? v8 : v6);
    if (v5) {
        out[v3] = v9;
    }
}""",
    ),
    Golden(
        sigmoid_kernel,
        "aai",
        LOAD_SSA
        + """\
%7 = neg %6 : vector<256 x f32>
%8 = exp %7 : vector<256 x f32>
%9 = add 1.0, %8 : vector<256 x f32>
%10 = div 1.0, %9 : vector<256 x f32>
%11 = addptr out, %3 : vector<256 x ptr<f32>>
store %11, %10, %5""",
        """\
extern "C" __global__
void sigmoid_kernel(float* x, float* out, int n) {
"""
        + LOAD_CUDA
        + """\
    float v7 = -(v6);
    float v8 = expf(v7);
    float v9 = (1.0f + v8);
    float v10 = (1.0f / v9);
    if (v5) {
        out[v3] = v10;
    }
}""",
    ),
]


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.kernel.name)
def test_texts_of_the_reference_kernels(golden: Golden) -> None:
    make = {"a": lambda: np.arange(300, dtype=np.float32), "i": lambda: 300, "f": lambda: 0.25}
    arguments: list[Any] = [make[letter]() for letter in golden.arguments]
    expression_ops, ssa_ops, cuda_src = golden.kernel[(2,)](*arguments, BLOCK=256)
    assert str(ssa_ops) == golden.ssa
    assert cuda_src == golden.cuda
    assert len(expression_ops) > 0
    for argument in arguments:  # compiled only: not even the output was touched
        if isinstance(argument, np.ndarray):
            assert np.array_equal(argument, np.arange(300, dtype=np.float32))

    # The same texts come from tensors, where the kernel runs.
    tensors = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    result = golden.kernel[(2,)](*tensors, BLOCK=256)
    assert (str(result.ssa_ops), result.cuda_src) == (golden.ssa, golden.cuda)
    assert result.asm["cuda"] == golden.cuda
    header, *body, closing = result.asm["ssa"].splitlines()
    assert header.startswith(f"kernel {golden.kernel.name}(x: ptr<f32>, ")
    assert header.endswith(") {")
    assert [line.strip() for line in body] == golden.ssa.splitlines()
    assert closing == "}"


def test_a_listing_has_one_instruction_a_line() -> None:
    result = relu_kernel[1](np.zeros(1, np.float32), np.zeros(1, np.float32), 1, BLOCK=256)
    assert result.ssa_ops[7] == "%7 = maximum %6, 0.0 : vector<256 x f32>"
    assert len(result.ssa_ops) == 10


def test_mixed_widths_are_refused_where_text_of_one_lane_a_thread_is_asked_for() -> None:
    x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    message = "CUDA lowering requires one vector width, got: 128, 256"
    with pytest.raises(ValueError) as refusal:
        mixed_widths_kernel[1](x, out, layout="lane")
    assert str(refusal.value) == message
    assert not out.any()

    tensor = torch.zeros(256)
    # The CPU has no such rule.
    result = mixed_widths_kernel[1](torch.ones(256), tensor, layout="lane")
    assert tensor.tolist() == [2.0] * 128 + [1.0] * 128
    with pytest.raises(ValueError) as refusal:
        _ = result.cuda_src
    assert str(refusal.value) == message


WITHOUT_CUDA = """
import numpy, torch, sys
sys.path.insert(0, {tests!r})
before = open("/proc/self/maps").read()
from kernels import add_kernel
arrays = [numpy.zeros(300, numpy.float32) for _ in range(3)]
assert "__global__" in add_kernel[2](*arrays, 300, BLOCK=256).cuda_src
tensors = [torch.ones(300) for _ in range(3)]
add_kernel[2](*tensors, 300, BLOCK=256)
assert tensors[2].tolist() == [2.0] * 300
for name in ("libcuda", "libnvrtc"):
    if name in before:  # a torch built for CUDA may load it by itself
        continue
    assert name not in open("/proc/self/maps").read(), name
"""


def test_no_cuda_library_is_loaded() -> None:
    code = WITHOUT_CUDA.format(tests=str(Path(__file__).parent))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


# --- the artifact cache --------------------------------------------------------------------------


@mytriton.jit
def scale_kernel(x, out, n, factor, BLOCK: tl.constexpr, SHIFT: tl.constexpr = 0):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) * factor + SHIFT, mask=mask)


def test_one_kind_of_launch_is_one_object() -> None:
    x, out = torch.ones(300), torch.zeros(300)
    first = scale_kernel[(2,)](x, out, 300, 2.0, BLOCK=256)
    other_contents = torch.full((40,), 7.0)
    assert scale_kernel[(2,)](x, out, 300, 2.0, BLOCK=256) is first
    assert scale_kernel[1](other_contents, out, 40, -0.5, BLOCK=256) is first
    assert scale_kernel[(2, 1)](x, out, 299, factor=3.0, BLOCK=256, SHIFT=0) is first
    assert scale_kernel[lambda meta: (meta["n"] // 300,)](x, out, 300, 2.0, 256) is first
    assert scale_kernel[1](x[::2], out, 300, float("nan"), BLOCK=tl.constexpr(256)) is first
    assert scale_kernel[(0,)](x, out, 0, 2.0, 256) is first


def test_kinds_and_constants_make_different_objects() -> None:
    x, out = torch.ones(8), torch.zeros(8)
    launches = [
        scale_kernel[1](x, out, 8, 2.0, 8),
        scale_kernel[1](x, out, 8, 2.0, 16),
        scale_kernel[1](x.int(), out, 8, 2.0, 8),
        scale_kernel[1](x, out.int(), 8, 2.0, 8),
        scale_kernel[1](x, out, 8, 2, 8),
        scale_kernel[1](x, out, 8, True, 8),
        scale_kernel[1](x, out, 8.0, 2.0, 8),
        *(
            scale_kernel[1](x, out, 8, 2.0, 8, SHIFT=shift)
            for shift in (1, True, 1.0, 0.0, -0.0, False, math.nan)
        ),
        scale_kernel[1](x.numpy(), out.numpy(), 8, 2.0, 8),
    ]
    assert len({id(each) for each in launches}) == len(launches)


def test_signed_zero_constants_are_kept_apart() -> None:
    x, out = torch.tensor([-0.0]), torch.ones(1)
    scale_kernel[1](x, out, 1, 1.0, 1, SHIFT=0.0)
    assert math.copysign(1, out.item()) == 1.0
    scale_kernel[1](x, out, 1, 1.0, 1, SHIFT=-0.0)
    assert math.copysign(1, out.item()) == -1.0


def test_clear_cache_traces_again() -> None:
    traced: list[int] = []
    note = traced.append

    @mytriton.jit
    def counting(x):
        note(1)
        tl.store(x, 1.0)

    x = torch.zeros(1)
    first = counting[1](x)
    assert counting[1](x) is first
    assert len(traced) == 1
    counting.clear_cache()
    again = counting[1](x)
    assert len(traced) == 2
    assert again is not first
    assert str(again.ssa_ops) == str(first.ssa_ops)


def test_a_compiled_kernel_is_immutable() -> None:
    compiled = copy_kernel[1](torch.ones(4), torch.ones(4), 4, BLOCK=4)
    with pytest.raises(AttributeError):
        compiled.name = "other"
    with pytest.raises(AttributeError):
        compiled.cuda_src = ""
    assert set(compiled.asm) >= {"ssa", "plan", "cuda", "cpu"}
    with pytest.raises(KeyError, match="ptxx"):
        compiled.asm["ptxx"]
