"""NVRTC accepts CUDA text, for each of three architectures.

Here of the reference kernels, every row and every cast. The thousands of other texts in the suite
are each compiled for one of the architectures, when their file has run: see conftest.py.
"""

import os
from pathlib import Path

import cuda_texts
import numpy as np
import pytest
from cuda_texts import compile_text
from kernels import add_kernel, leaky_relu_kernel, relu_kernel, sigmoid_kernel, softmax_kernel

import mytriton as triton
import mytriton.language as tl
from mytriton import _C
from mytriton.dtypes import DTYPES
from mytriton.traced import apply


@pytest.fixture(autouse=True)
def nvrtc() -> None:
    if not _C.nvrtc_available():
        if os.environ.get("MYTRITON_REQUIRE_NVRTC") == "1":
            pytest.fail("MYTRITON_REQUIRE_NVRTC=1, but NVRTC cannot be found")
        pytest.skip("no NVRTC: pip install nvidia-cuda-nvrtc")


@triton.jit
def rows_kernel(x, y, z, flags, out, ELEMENT: tl.constexpr, BLOCK: tl.constexpr):
    """Each row of the table that takes the element type, on run-time values."""
    at = tl.program_id(0) * BLOCK + tl.arange(-3, BLOCK - 3) + tl.num_programs(1)
    operands = [tl.load(each + at, at >= 0) for each in (x, y, z)]
    for row in _C.op_rows():
        if row["kind"] == "pure" and ELEMENT in row["types"]:
            given = operands[: row["operands"]]
            if row["name"] == "select":
                given = [tl.load(flags + at, at >= 0, other=True), *operands[:2]]
            tl.store(out + at, apply(row["name"], *given), at >= 0)
    for reduce in (tl.sum, tl.max, tl.min):
        tl.store(out, reduce(operands[0]))


@triton.jit
def casts_kernel(x, out, BLOCK: tl.constexpr):
    """Each conversion from the element type of x, of blocks and of stores."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    bits = a.dtype.primitive_bitwidth
    tl.store(out + at, a)
    for dtype in DTYPES.values():
        tl.store(out + at, a.to(dtype))
        if dtype.primitive_bitwidth == bits:
            tl.store(out + at, a.to(dtype, bitcast=True))
        elif dtype.is_floating() and a.dtype.is_floating() and dtype.primitive_bitwidth < bits:
            tl.store(out + at, a.to(dtype, fp_downcast_rounding="rtz"))


@pytest.mark.parametrize("kernel", [add_kernel, relu_kernel, leaky_relu_kernel, sigmoid_kernel])
def test_seed_kernels(kernel: triton.JITFunction) -> None:
    x = np.zeros(4, np.float32)
    arrays = [x] * sum(p.name in ("x", "y", "out") for p in kernel.params)
    scalars = [4, 0.1][: len(kernel.params) - len(arrays) - 1]
    compile_text(kernel[1](*arrays, *scalars, BLOCK=256).cuda_src, kernel.name)


@pytest.mark.parametrize("block", [1, 32, 100, 1024])
def test_softmax(block: int) -> None:
    x = np.zeros(4, np.float32)
    compile_text(softmax_kernel[1](x, x, 4, 4, BLOCK=block).cuda_src, "softmax_kernel")


SIGNATURES = {"bool": "i1", "f16": "fp16", "f32": "fp32", "f64": "fp64"}


@pytest.mark.parametrize("element", DTYPES)
def test_every_row_and_every_cast(element: str) -> None:
    tensor = f"*{SIGNATURES.get(element, element)}"
    tensors = [tensor, tensor, tensor, "*i1", tensor]
    compiled = rows_kernel.compile(*tensors, ELEMENT=element, BLOCK=64)
    compile_text(compiled.cuda_src, "rows_kernel")
    compile_text(casts_kernel.compile(tensor, "*fp64", BLOCK=64).cuda_src, "casts_kernel")
    compile_text(casts_kernel.compile(tensor, "*i8", BLOCK=64).cuda_src, "casts_kernel")


GOLDEN = sorted((Path(__file__).parent / "ir" / "cuda").glob("*.mt"))


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_golden_files(path: Path) -> None:
    """Among them branches and loops of every form."""
    _, _, text = path.read_text().partition("; ---\n")
    if text:
        compile_text(text, path.stem)


def test_an_error_shows_the_cuda_line() -> None:
    broken = 'extern "C" __global__ void k(float* x) {\n    x[0] = missing;\n}'
    with pytest.raises(triton.CompileError, match=r"(?s)missing.*x\[0\] = missing;"):
        _C.nvrtc_compile(broken, "k", "sm_90a")


def test_the_kernels_of_a_file_are_compiled_when_it_has_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By conftest.py's fixture; here of a kernel whose text is spoilt after it was recorded."""

    @triton.jit
    def refused(x):
        tl.store(x, 12345.0)

    monkeypatch.setattr(cuda_texts, "_waiting", {})
    text = refused.compile("*fp32").cuda_src
    assert cuda_texts._waiting == {text: "refused"}
    cuda_texts.compile_recorded()
    assert not cuda_texts._waiting
    cuda_texts._waiting[text.replace("12345", "missing")] = "refused"
    with pytest.raises(triton.CompileError, match="missing"):
        cuda_texts.compile_recorded()
