"""Rows shorter than their block: what lanes past the bound add to reductions, to the bit."""

import numpy as np
import pytest
import torch
from engines import assert_same_bits, both, compiled, evaluated

import mytriton
import mytriton.language as tl

NAN, INF = float("nan"), float("inf")
BOUNDS = (0, 1, 15, 16, 17, 40, 128, 200, 255, 256, 300)


@mytriton.jit
def reduce_kernel(x, out, n, other, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    row = tl.load(x + lane, mask=lane < n, other=other)
    tl.store(out, tl.sum(row))
    tl.store(out + 1, tl.max(row))
    tl.store(out + 2, tl.min(row * 2))
    largest = tl.max(row)
    powers = tl.exp(row - largest)
    total = tl.sum(powers)
    tl.store(out + 3, total)
    tl.store(out + 4 + lane, powers / total, mask=lane < n)


@pytest.mark.parametrize("other", [0.0, -0.0, 1.5, -3.0, INF, -INF, NAN, 1e30])
def test_other_counts_in_each_lane_past_the_bound(other: float) -> None:
    x = torch.randn(256)
    x[3] = -0.0
    for n in BOUNDS:
        got, expected = torch.zeros(260), torch.zeros(260)
        compiled(reduce_kernel)[1](x, got, n, other, BLOCK=256)
        evaluated(reduce_kernel)[1](x, expected, n, other, BLOCK=256)
        assert_same_bits(got, expected)


@both
def test_sum_of_ones_past_the_bound(engine) -> None:
    out = torch.zeros(260)
    engine(reduce_kernel)[1](torch.ones(256), out, 3, 1.0, BLOCK=256)
    assert out[0] == 256 and out[3] == 256


@mytriton.jit
def int_kernel(x, out, n, other, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    row = tl.load(x + lane, mask=lane < n, other=other)
    tl.store(out, tl.sum(row))
    tl.store(out + 1, tl.xor_sum(row))
    tl.store(out + 2, tl.max(tl.where(lane < n, row, other + 1)))


@both
@pytest.mark.parametrize("other", [0, 1, -7])
def test_ints_past_the_bound(engine, other: int) -> None:
    x = torch.randint(-100, 100, (256,), dtype=torch.int32)
    for n in BOUNDS:
        out = torch.zeros(3, dtype=torch.int32)
        engine(int_kernel)[1](x, out, n, other, BLOCK=256)
        row = x.numpy().copy()
        row[n:] = other
        largest = max([*row[:n].tolist(), *([other + 1] if n < 256 else [])])
        assert out.tolist() == [row.sum(), np.bitwise_xor.reduce(row), largest], n


@mytriton.jit
def layer_norm_kernel(x, weight, out, stride, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    row = tl.load(x + tl.program_id(0) * stride + column, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(row) / columns
    centred = tl.where(mask, row - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred) / columns + 1e-5)
    w = tl.load(weight + column, mask=mask)
    tl.store(out + tl.program_id(0) * stride + column, centred * scale * w, mask=mask)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("columns", [1, 16, 100, 128, 520, 1024])
def test_layer_norm(columns: int, dtype: torch.dtype) -> None:
    x, weight = torch.randn(3, columns, dtype=dtype), torch.randn(columns, dtype=dtype)
    results = []
    for engine in (compiled, evaluated):
        out, in_place = torch.empty_like(x), x.clone()
        engine(layer_norm_kernel)[3](x, weight, out, columns, columns, BLOCK=1024)
        engine(layer_norm_kernel)[3](in_place, weight, in_place, columns, columns, BLOCK=1024)
        results += [out, in_place]
    for result in results[1:]:
        assert_same_bits(result, results[0])
    expected = torch.nn.functional.layer_norm(x.float(), (columns,)) * weight.float()
    tolerance = 1e-4 if dtype == torch.float32 else 0.02
    torch.testing.assert_close(results[0].float(), expected, rtol=tolerance, atol=tolerance)


@mytriton.jit
def wrapping_kernel(x, out, start, n, BLOCK: tl.constexpr):
    index = start + tl.arange(0, BLOCK)
    mask = index < n
    row = tl.load(x + (index & 255), mask=mask, other=0.0)
    tl.store(out, tl.sum(row))
    tl.store(out + 1, tl.sum(tl.where(mask, 1, 0)))


@both
def test_lanes_after_a_wrapped_index_are_below_the_bound_again(engine) -> None:
    x, out = torch.ones(256), torch.zeros(2)
    start = 2**31 - 20
    engine(wrapping_kernel)[1](x, out, start, 2**31 - 18, BLOCK=256)
    assert out.tolist() == [238.0, 238.0]
