"""Kernels on CUDA tensors give torch's results: every dtype, layout, alignment and size of a tail.

What each op and language construct gives is shown by the other folder's tests of CUDA text, which
run on the GPU where MYTRITON_TEST_DEVICE=cuda.
"""

import pytest
import torch
from kernels import (
    add_kernel,
    copy_kernel,
    leaky_relu_kernel,
    relu_kernel,
    sigmoid_kernel,
    softmax_kernel,
)
from norm_kernels import layer_norm_kernel
from test_atomics import histogram_kernel

import mytriton as triton
import mytriton.language as tl
from gpu.machine import Gpu
from mytriton.arguments import _TORCH_DTYPES

SIZES = (0, 1, 255, 256, 257, 1_000_003)
DTYPES = list(_TORCH_DTYPES)
LAYOUTS = {"lane": {"layout": "lane"}} | {f"{n} warps": {"num_warps": n} for n in (1, 4, 8)}
layouts = pytest.mark.parametrize("options", LAYOUTS.values(), ids=LAYOUTS)


def run(gpu: Gpu, kernel, inputs, n, *scalars):
    """The kernel's output, after checking that nothing past n was written."""
    out = torch.full((n + 512,), 7.0, device=gpu.device)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)  # noqa: E731
    kernel[grid](*inputs, out, n, *scalars, BLOCK=256)
    assert (out[n:] == 7.0).all()
    return out[:n]


@pytest.mark.parametrize("n", SIZES)
def test_seed_kernels(gpu: Gpu, n: int) -> None:
    x = torch.randn(n, device=gpu.device)
    y = torch.randn(n, device=gpu.device)
    assert torch.equal(run(gpu, add_kernel, (x, y), n), x + y)
    assert torch.equal(run(gpu, relu_kernel, (x,), n), torch.relu(x))
    leaky = torch.nn.functional.leaky_relu(x, 0.1)
    assert torch.equal(run(gpu, leaky_relu_kernel, (x,), n, 0.1), leaky)
    torch.testing.assert_close(run(gpu, sigmoid_kernel, (x,), n), torch.sigmoid(x))


def test_nan_propagates_through_relu(gpu: Gpu) -> None:
    x = torch.tensor([float("nan"), -0.0, 1.0], device=gpu.device)
    assert torch.isnan(run(gpu, relu_kernel, (x,), 3)[0])


@pytest.mark.parametrize("columns", [1, 31, 100, 256, 1000, 4096, 9000])
def test_softmax(gpu: Gpu, columns: int) -> None:
    x = torch.randn(64, columns, device=gpu.device)
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    softmax_kernel[(64,)](x, out, columns, columns, BLOCK=block)
    torch.testing.assert_close(out, torch.softmax(x, 1))


@pytest.mark.parametrize("num_warps", [1, 4, 16])
def test_layer_norm(gpu: Gpu, num_warps: int) -> None:
    x = torch.randn(33, 1500, device=gpu.device)
    weight, bias = torch.randn(2, 1500, device=gpu.device).unbind()
    out, means, scales = torch.empty_like(x), *torch.empty(2, 33, device=gpu.device).unbind()
    arguments = (x, weight, bias, out, means, scales, 1500, 1e-5)
    layer_norm_kernel[(33,)](*arguments, BLOCK=512, num_warps=num_warps)
    expected = torch.nn.functional.layer_norm(x, (1500,), weight, bias)
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(means, x.mean(1), rtol=1e-5, atol=1e-5)


def random_bytes(count: int, dtype: torch.dtype, device: str) -> torch.Tensor:
    high = 2 if dtype is torch.bool else 256
    generator = torch.Generator().manual_seed(count)
    raw = torch.randint(0, high, (count * dtype.itemsize,), generator=generator).to(torch.uint8)
    return raw.view(dtype).to(device)


@layouts
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_is_copied_to_the_bit(gpu: Gpu, dtype: torch.dtype, options: dict) -> None:
    for n in (1, 255, 1024, 100_003):
        x = random_bytes(n, dtype, gpu.device)
        out = random_bytes(n + 300, dtype, gpu.device)
        rest = out[n:].clone()
        copy_kernel[(triton.cdiv(n, 512),)](x, out, n, BLOCK=512, **options)
        assert torch.equal(out[:n].view(torch.uint8), x.view(torch.uint8))
        assert torch.equal(out[n:].view(torch.uint8), rest.view(torch.uint8))


@layouts
@pytest.mark.parametrize("dtype", [torch.int8, torch.bfloat16, torch.float32, torch.float64])
def test_views_that_are_not_aligned_to_16_bytes(
    gpu: Gpu, dtype: torch.dtype, options: dict
) -> None:
    n = 5000
    for source, target in ((1, 0), (0, 1), (1, 1), (3, 2), (7, 5)):
        x = random_bytes(n + 8, dtype, gpu.device)[source:][:n]
        whole = random_bytes(n + 64, dtype, gpu.device)
        before = whole.clone()
        copy_kernel[(5,)](x, whole[target:], n, BLOCK=1024, **options)
        expected = torch.cat([before[:target], x, before[target + n :]])
        assert torch.equal(whole.view(torch.uint8), expected.view(torch.uint8)), (source, target)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64])
def test_sums_of_other_types(gpu: Gpu, dtype: torch.dtype) -> None:
    x = (8 * torch.randn(3001, device=gpu.device)).to(dtype)
    y = (8 * torch.randn(3001, device=gpu.device)).to(dtype)
    out = torch.empty_like(x)
    add_kernel[(3,)](x, y, out, 3001, BLOCK=1024)
    assert torch.equal(out, x + y)


@layouts
def test_atomics_of_many_programs(gpu: Gpu, options: dict) -> None:
    x = torch.randint(0, 10, (1_000_003,), device=gpu.device)
    counts = torch.zeros(10, dtype=torch.int32, device=gpu.device)
    grid = (triton.cdiv(x.numel(), 512),)
    histogram_kernel[grid](x, counts, x.numel(), BLOCK=512, **options)
    assert torch.equal(counts.long(), torch.bincount(x, minlength=10))


@triton.jit
def far_kernel(x, start, BLOCK: tl.constexpr):
    at = start + tl.arange(0, BLOCK)
    tl.store(x + at, (at % 100).to(tl.int8))


def test_offsets_beyond_32_bits(gpu: Gpu) -> None:
    n = 2**31 + 4096
    if gpu.free_bytes() < 2 * n:
        pytest.skip("too little memory")
    x = torch.zeros(n, dtype=torch.int8, device=gpu.device)
    start = 2**31 - 512
    far_kernel[(1,)](x, start, BLOCK=1024)
    expected = torch.arange(start, start + 1024, device=gpu.device) % 100
    assert torch.equal(x[start : start + 1024].long(), expected)
    assert not x[:1024].any() and not x[start + 1024 :].any()


def test_grids_that_cuda_does_not_take(gpu: Gpu) -> None:
    x = torch.zeros(16, device=gpu.device)
    copy_kernel[(0, 70_000)](x, x, 16, BLOCK=16)
    if gpu.is_real:
        with pytest.raises(ValueError, match=r"grid axis y is 70000; CUDA's limit .* is 65535"):
            copy_kernel[(1, 70_000)](x, x, 16, BLOCK=16)
    copy_kernel[(2,)](torch.ones_like(x), x, 16, BLOCK=16)
    assert (x == 1).all()
