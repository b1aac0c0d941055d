"""The engine that runs CUDA text writes tensors as the others do, and can fail."""

import pytest
import torch
from cuda_on_cpu.runner import CudaError, CudaText
from engines import OnCudaText, assert_same_bits, every
from kernels import copy_kernel, mixed_widths_kernel

import mytriton
import mytriton.language as tl


@mytriton.jit
def negate_kernel(x, out, N: tl.constexpr = 8):
    lane = tl.arange(0, N)
    tl.store(out + lane, -tl.load(x + lane))


@every
def test_views_of_one_storage_share_it(engine) -> None:
    x = torch.arange(24.0)
    expected = torch.cat([x[:12], -x[4:12], x[20:]])
    engine(negate_kernel)[1](x[4:], x[12:])
    assert_same_bits(x, expected)


@every
def test_what_a_view_skips_is_written_too(engine) -> None:
    x, out = torch.arange(8.0), torch.full((20,), 5.0)
    engine(negate_kernel)[lambda meta: meta["N"] // 8](x, out=out[2:18:5])
    assert_same_bits(out, torch.cat([torch.full((2,), 5.0), -x, torch.full((10,), 5.0)]))


@every
def test_any_byte_of_a_bool_stays_where_nothing_is_written(engine) -> None:
    raw = torch.arange(9, dtype=torch.uint8)
    engine(copy_kernel)[1](torch.ones(2) != 0, raw.view(torch.bool), 2, BLOCK=4)
    assert raw.tolist() == [1, 1, *range(2, 9)]


def test_a_kernel_without_text_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        OnCudaText(mixed_widths_kernel)[1](torch.zeros(256), torch.zeros(256), layout="lane")


def with_text(kernel: mytriton.JITFunction, old: str, new: str, *args, **constants) -> OnCudaText:
    """The kernel with another text for a launch of such arguments."""
    engine = OnCudaText(kernel)
    artifact = kernel.compile(*args, **constants)
    engine.texts[artifact] = CudaText.of(artifact).replaced(old, new)
    return engine


def test_a_wrong_result_is_found() -> None:
    x, out = torch.arange(1.0, 9.0), torch.zeros(8)
    with_text(negate_kernel, "= -", "= +", x, out)[1](x, out)
    with pytest.raises(AssertionError, match="8 of 8 elements differ"):
        assert_same_bits(out, -x)


def test_a_lane_too_many_is_found() -> None:
    x, out = torch.zeros(50), torch.zeros(50)
    engine = with_text(copy_kernel, "< n", "<= n", x, out, 50, BLOCK=64)
    with pytest.raises(CudaError, match="out of bounds"):
        engine[1](x, out, 50, BLOCK=64)
