"""The blocked layout of CUDA text, run on the CPU: values, whole vectors, limits and options."""

import re

import numpy as np
import pytest
import torch
from cuda_on_cpu.runner import CudaError, CudaText
from engines import assert_same_bits, cuda_text
from exact import TORCH, TYPES

import mytriton
import mytriton.language as tl
from mytriton import _C

WARPS = pytest.mark.parametrize("num_warps", [1, 4])


@mytriton.jit
def shifted_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    value = tl.load(x + at, mask=mask)
    tl.store(out + at, tl.where(mask, value, value), mask=mask)


@mytriton.jit
def tile_kernel(x, out, rows, columns, stride, R: tl.constexpr, C: tl.constexpr):
    m = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    n = tl.program_id(1) * C + tl.arange(0, C)[None, :]
    tile = tl.load(x + m * stride + n, mask=(m < rows) & (n < columns), other=0.0)
    tl.store(out + n * rows + m, tl.sum(tile, 1, keep_dims=True) - tile, (m < rows) & (n < columns))


@mytriton.jit
def carried_kernel(x, out, n, BLOCK: tl.constexpr):
    """The index is carried, and moves by what is loaded."""
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.int32)
    while tl.max(at, axis=0) < n:
        total += tl.load(x + at)
        at += BLOCK + tl.load(x + n)
    tl.store(out + tl.arange(0, BLOCK), total)


@mytriton.jit
def reverse_kernel(x, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    tl.store(x + WIDTH - 1 - at, tl.load(x + at))


def numbers(count: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(count)
    values = torch.randint(-100, 100, (count,), generator=generator)
    return values > 0 if dtype == torch.bool else values.to(dtype)


# --- whole vectors -------------------------------------------------------------------------------


@WARPS
@pytest.mark.parametrize("name", TYPES)
def test_every_type_in_vectors(name: str, num_warps: int) -> None:
    x = numbers(1500, TORCH[name])
    for shift in (0, 1):  # aligned, and not
        source, out = x[shift:], torch.zeros(1600, dtype=TORCH[name])
        cuda_text(shifted_kernel)[2](source, out[shift:], 1400, BLOCK=1024, num_warps=num_warps)
        assert_same_bits(out[shift : 1400 + shift], source[:1400])
        assert not out[:shift].any() and not out[1400 + shift :].any()


@WARPS
@pytest.mark.parametrize("width", [1, 3, 31, 100, 300, 1000, 2048])
def test_widths(width: int, num_warps: int) -> None:
    x = numbers(width)
    out = torch.zeros(width + 1)
    cuda_text(shifted_kernel)[1](x, out, width, BLOCK=width, num_warps=num_warps)
    assert torch.equal(out[:-1], x) and out[-1] == 0


def test_an_interior_has_whole_vectors() -> None:
    for dtype, lanes in (("fp32", 4), ("bf16", 8), ("i8", 8), ("fp64", 2)):
        text = shifted_kernel.compile(f"*{dtype}", f"*{dtype}", "i32", BLOCK=1024).cuda_src
        assert len(re.findall(rf"\*\((?:const )?mt_\w+x{lanes}\*\)", text)) == 2, text


@pytest.mark.skipif(not _C.nvrtc_available(), reason="no NVRTC: pip install nvidia-cuda-nvrtc")
def test_accesses_are_128_bits_wide() -> None:
    compiled = shifted_kernel.compile("*fp32", "*fp32", "i32", BLOCK=1024, target="sm_90a")
    ptx = compiled.asm["ptx"]
    assert len(re.findall(r"ld\.global\.v4\.\w32", ptx)) == 2
    assert len(re.findall(r"st\.global\.v4\.\w32", ptx)) == 2
    assert compiled.asm["cubin"][:4] == b"\x7fELF"


def test_an_index_that_wraps_is_no_vector() -> None:
    @mytriton.jit
    def kernel(out, start, n):
        at = tl.arange(0, 512)
        tl.store(out + at, 1.0, mask=start + at < n)

    out = torch.zeros(512)
    cuda_text(kernel)[1](out, 2**31 - 256, 2**31 - 1, num_warps=4)
    assert (out == 0).nonzero().tolist() == [[255]], "what wrapped is below n again"


# --- lanes that change places --------------------------------------------------------------------


@WARPS
@pytest.mark.parametrize("sizes", [(1, 1), (17, 60), (33, 129)])
@pytest.mark.parametrize("tile", [(16, 32), (4, 64), (32, 2)])
def test_tiles(sizes: tuple[int, int], tile: tuple[int, int], num_warps: int) -> None:
    (rows, columns), (R, C) = sizes, tile
    stride = columns + 3
    x = numbers(rows * stride).view(rows, stride)
    out = torch.zeros(columns, rows)
    grid = (-(-rows // R), -(-columns // C))
    arguments = (x, out, rows, columns, stride)
    cuda_text(tile_kernel)[grid](*arguments, R=R, C=C, num_warps=num_warps)
    expected = torch.zeros(rows, grid[1] * C)
    expected[:, :columns] = x[:, :columns]
    sums = expected.view(rows, -1, C).sum(2, keepdim=True)
    expected = (sums - expected.view(rows, -1, C)).reshape(rows, -1)[:, :columns]
    assert torch.equal(out, expected.T)


@WARPS
def test_a_carried_index(num_warps: int) -> None:
    x = torch.randint(0, 50, (1025,), dtype=torch.int32)
    x[1000] = 24  # lanes are passed over
    out = torch.zeros(256, dtype=torch.int32)
    cuda_text(carried_kernel)[1](x, out, 1000, BLOCK=256, num_warps=num_warps)
    starts = range(0, 1000 - 255, 280)
    assert torch.equal(out, sum(x[start : start + 256] for start in starts))


@WARPS
def test_a_reverse_in_place_waits(num_warps: int) -> None:
    x = numbers(512)
    expected = x.flip(0)
    cuda_text(reverse_kernel)[1](x, WIDTH=512, num_warps=num_warps)
    assert torch.equal(x, expected)
    text = CudaText.of(reverse_kernel.compile("*fp32", WIDTH=512, num_warps=num_warps))
    with pytest.raises(CudaError, match="without a barrier"):
        text.replaced("__syncthreads();", "").run((1,), x)


@pytest.mark.parametrize("kernel", ["tile", "carried"])
def test_every_barrier_is_needed(kernel: str) -> None:
    if kernel == "tile":
        compiled = tile_kernel.compile("*fp32", "*fp32", "i32", "i32", "i32", R=16, C=32)
        arguments = [numbers(512), torch.zeros(32, 16), 16, 32, 32]
    else:
        compiled = carried_kernel.compile("*i32", "*i32", "i32", BLOCK=256, num_warps=4)
        arguments = [numbers(1025, torch.int32).abs(), torch.zeros(256, dtype=torch.int32), 1000]
    text = CudaText.of(compiled)
    body = text.text.index("__global__")
    count = text.text.count("__syncthreads();", body)
    assert count >= 2
    for i in range(count):
        at = body
        for _ in range(i + 1):
            at = text.text.index("__syncthreads();", at) + 1
        shorter = text.text[: at - 1] + text.text[at - 1 :].replace("__syncthreads();", "", 1)
        with pytest.raises(CudaError):
            CudaText(shorter, text.plan).run((1,), *arguments)


# --- options and limits --------------------------------------------------------------------------


def test_options_are_part_of_what_is_compiled() -> None:
    types = ("*fp32", "*fp32", "i32")
    kernels = [
        shifted_kernel.compile(*types, BLOCK=128, **options)
        for options in ({}, {"num_warps": 1}, {"num_warps": 8}, {"layout": "lane"})
    ]
    assert len({each.op_name for each in kernels}) == 4
    plans = [each.asm["plan"].splitlines()[0] for each in kernels]
    assert plans == [
        "lane layout: 128 threads, one lane each",
        "blocked layout: 32 threads",
        "blocked layout: 256 threads",
        "lane layout: 128 threads, one lane each",
    ]
    assert (
        kernels[2]
        .asm["ssa"]
        .startswith("kernel shifted_kernel(x: ptr<f32>, out: ptr<f32>, n: i32) num_warps=8 {\n")
    )
    assert shifted_kernel.compile(*types, BLOCK=128, num_warps=8) is kernels[2]


@mytriton.jit
def functions_kernel(x, out):
    at = tl.arange(0, 32)
    a = tl.load(x + at)
    trig = tl.sin(a) + tl.cos(a) + tl.extra.libdevice.tan(a)
    logs = tl.log(a) + tl.log2(a) + tl.extra.libdevice.log10(a)
    tl.store(out + at, tl.exp(a) / a + tl.sigmoid(a) + trig + logs + tl.extra.libdevice.pow(a, a))


def test_fast_functions() -> None:
    exact = functions_kernel.compile("*fp32", "*fp32")
    fast = functions_kernel.compile("*fp32", "*fp32", accuracy="fast")
    assert fast.op_name != exact.op_name and fast.asm["cpu"] == exact.asm["cpu"]
    assert ") accuracy=fast {" in fast.asm["ssa"] and "exp_fast" not in exact.cuda_src
    for name in ("fdividef", "logf", "log2f", "log10f", "sinf", "cosf", "tanf", "powf"):
        assert f"__{name}(" in fast.cuda_src
    assert "ex2.approx.ftz" in fast.cuda_src
    assert functions_kernel.compile("*fp64", "*fp64", accuracy="fast").cuda_src == (
        functions_kernel.compile("*fp64", "*fp64").cuda_src
    )
    x, out = torch.linspace(0.1, 3, 32), torch.zeros(32)
    cuda_text(functions_kernel)[1](x, out, accuracy="fast")
    expected = torch.zeros(32)
    functions_kernel[1](x, expected)
    assert torch.allclose(out, expected, rtol=1e-5, atol=1e-5)
    if _C.nvrtc_available():
        assert fast.for_target("sm_90a").asm["cubin"][:4] == b"\x7fELF"


def test_which_layout() -> None:
    def first(kernel, *types, **constants) -> str:
        return kernel.compile(*types, **constants).asm["plan"].split(":")[0]

    types = ("*fp32", "*fp32", "i32")
    assert first(shifted_kernel, *types, BLOCK=256) == "lane layout"
    assert first(shifted_kernel, *types, BLOCK=257) == "blocked layout"
    assert first(shifted_kernel, *types, BLOCK=1024, layout="lane") == "lane layout"
    assert first(tile_kernel, *types, "i32", "i32", R=4, C=4) == "blocked layout"


@pytest.mark.parametrize(
    "option, error",
    [
        ({"layout": "blocked"}, "option 'layout': expected 'lane' or None, got 'blocked'"),
        ({"accuracy": "fastest"}, "option 'accuracy': expected 'fast' or None, got 'fastest'"),
        ({"num_warps": 3}, "option 'num_warps': expected a power of two, 1 to 32; got 3"),
        ({"num_warps": 64}, "option 'num_warps': expected a power of two, 1 to 32; got 64"),
    ],
)
def test_wrong_options(option: dict[str, object], error: str) -> None:
    x, out = torch.ones(4), torch.zeros(4)
    with pytest.raises(ValueError, match=re.escape(error)):
        shifted_kernel[1](x, out, 4, BLOCK=4, **option)
    assert not out.any()


def test_what_one_program_has_no_room_for() -> None:
    @mytriton.jit
    def exchanged(x, out, N: tl.constexpr):
        at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
        tl.store(out + at, tl.trans(tl.load(x + at)))

    @mytriton.jit
    def kept(x, out, N: tl.constexpr):
        a = tl.load(x + tl.arange(0, N))
        tl.store(out + tl.arange(0, N), a / tl.sum(a, axis=0))

    square = exchanged.compile("*fp32", "*fp32", N=256)
    with pytest.raises(mytriton.CompileError) as refused:
        _ = square.cuda_src
    message, line, caret = str(refused.value).splitlines()
    assert message.endswith(
        "error: CUDA lowering needs 262144 bytes of shared memory for blocks whose lanes change "
        "places, and there are 229376: block<256x256 x f32>; use smaller blocks"
    )
    assert line.strip() == "tl.store(out + at, tl.trans(tl.load(x + at)))"
    assert line[caret.index("^") :].startswith("tl.load(x + at)")
    x, out = torch.rand(256, 256), torch.zeros(256, 256)
    exchanged[1](x, out, N=256)  # the CPU has room
    assert torch.equal(out, x.T)

    wide = kept.compile("*fp32", "*fp32", N=1 << 20, num_warps=1)
    needs = r"131072 bytes .* each of 32 threads .* 65536: vector<1048576 x f32>; .* num_warps"
    with pytest.raises(mytriton.CompileError, match=needs):
        _ = wide.cuda_src
    assert "mt_buffer" in kept.compile("*fp32", "*fp32", N=1 << 17, num_warps=32).cuda_src


def test_more_shared_memory_than_can_be_declared() -> None:
    @mytriton.jit
    def kernel(x, out, N: tl.constexpr):
        at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
        tl.store(out + at, tl.trans(tl.load(x + at)))

    assert "extern __shared__" in kernel.compile("*fp32", "*fp32", N=128).cuda_src
    x, out = numbers(128 * 128).view(128, 128), torch.zeros(128, 128)
    cuda_text(kernel)[1](x, out, N=128)
    assert np.array_equal(out.numpy(), x.numpy().T)
