"""Loads and stores: what masked lanes give, addresses of every form, order within a program.

What is written elsewhere than expected makes a test fail, because whole buffers are compared.
"""

import pytest
import torch
from engines import assert_same_bits, both, cuda_text, every

import mytriton
import mytriton.language as tl

# --- masks ---------------------------------------------------------------------------------------


@mytriton.jit
def masked_kernel(x, zeros, others, odd, n, other, N: tl.constexpr):
    lane = tl.arange(0, N)
    tl.store(zeros + lane, tl.load(x + lane, mask=lane < n))
    tl.store(others + lane, tl.load(x + lane, mask=lane < n, other=other))
    even = (lane % 2 == 0) & (lane < n)
    tl.store(odd + lane, tl.load(x + lane, mask=~even, other=lane), mask=lane >= n // 2)
    tl.store(odd, tl.load(x, mask=n < 0), mask=n < 0)  # scalars have masks too


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.bool])
@pytest.mark.parametrize("width", [7, 64, 100])
def test_masked_lanes_read_other_or_zero(engine, dtype: torch.dtype, width: int) -> None:
    x = torch.arange(1, width + 1).to(dtype)
    lane = torch.arange(width)
    for n in (-3, 0, 1, width // 2, width - 1, width, width + 5):
        zeros, others, odd = torch.full((3, width), 3).to(dtype)
        other = True if dtype == torch.bool else 9
        engine(masked_kernel)[1](x, zeros, others, odd, n, other, N=width)
        on = lane < n
        assert_same_bits(zeros, torch.where(on, x, torch.zeros_like(x)))
        assert_same_bits(others, torch.where(on, x, torch.full_like(x, other)))
        even = (lane % 2 == 0) & on
        half = int(n / 2)  # `//` truncates
        read = torch.where(~even, x, lane.to(dtype))
        assert_same_bits(odd, torch.where(lane >= half, read, torch.full_like(x, 3)))


# --- addresses -----------------------------------------------------------------------------------


@mytriton.jit
def addresses_kernel(x, out, k, N: tl.constexpr):
    lane = tl.arange(0, N)
    middle = x + k
    tl.store(out + lane, tl.load(x + k + lane + 1))
    tl.store(out + N + lane, tl.load(middle - lane))
    tl.store(out + 2 * N + lane, tl.load(middle + (-lane) + 2 - 1))
    tl.store(out + 3 * N + lane, tl.load(lane + middle - 3))
    tl.store(out + 4 * N + lane, tl.load(x + lane * 3))
    tl.store(out + 5 * N + lane, tl.load(x + lane + lane))
    tl.store(out + 6 * N + lane, tl.load(x + (lane * 7) % 32))
    tl.store(out + 7 * N + lane, tl.load(x + 5))
    tl.store(out + 8 * N + lane, tl.load(x + (lane > 4)))
    tl.store(out + 9 * N + (N - 1 - lane), lane)
    tl.store(out + 10 * N + lane, 2.5)
    tl.store(out + 11 * N + lane, k)
    tl.store(out + 12 * N + 2 * lane, tl.load(x + lane), mask=lane * 2 < N)
    tl.store(out + 13 * N + k - k, tl.load(x - -1), mask=True)


@every
@pytest.mark.parametrize("width", [5, 16, 40])
def test_address_forms(engine, width: int) -> None:
    x = torch.randn(300, generator=torch.Generator().manual_seed(9))
    out = torch.full((13 * width + 3,), -9.0)
    k = 100
    engine(addresses_kernel)[1](x, out, k, N=width)
    lane = torch.arange(width)
    spread = torch.full((width,), -9.0)
    spread[::2] = x[: (width + 1) // 2]
    rows = [x[k + 1 + lane], x[k - lane], x[k - lane + 1], x[k - 3 + lane], x[3 * lane]]
    rows += [x[2 * lane], x[lane * 7 % 32], x[5].expand(width), x[(lane > 4).int()]]
    rows += [lane.flip(0).float(), torch.full((width,), 2.5), torch.full((width,), float(k))]
    assert_same_bits(out, torch.cat([*rows, spread, x[1:2], torch.full((2,), -9.0)]))


@mytriton.jit
def range_kernel(out, A: tl.constexpr, B: tl.constexpr):
    tl.store(out + (tl.arange(A, B) - A), tl.arange(A, B))
    lane = tl.arange(A, B)
    tl.store(out + (40 + (lane - A)), lane)


@mytriton.jit
def strided_kernel(x, out, row_stride, column_stride, columns, BLOCK: tl.constexpr):
    """Negates a matrix in place, of whatever strides, and leaves a dense copy of what it was."""
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    mask = column < columns
    at = x + row * row_stride + column * column_stride
    value = tl.load(at, mask=mask)
    tl.store(out + row * columns + column, value, mask=mask)
    tl.store(at, -value, mask=mask)


VIEWS = {
    "dense": lambda x: x,
    "transposed": lambda x: x.t(),
    "offset": lambda x: x[3:, 5:],
    "stepped": lambda x: x[::3, 1::2],
    "one column": lambda x: x[:, 7:8],
    "crossed": lambda x: x.as_strided((5, 20), (1, 5), 11),
    "no columns": lambda x: x[:, 40:],
    "no rows": lambda x: x[24:],
}


@every
@pytest.mark.parametrize("view", VIEWS)
def test_views(engine, view: str) -> None:
    base = torch.randn(24, 40, generator=torch.Generator().manual_seed(12))
    expected = base.clone()
    x, same = VIEWS[view](base), VIEWS[view](expected)
    rows, columns = x.shape
    before, out = same.clone(), torch.full((rows, columns), 7.0)
    engine(strided_kernel)[rows](x, out, *x.stride(), columns, BLOCK=64)
    same.neg_()
    assert_same_bits(out, before)
    assert_same_bits(base, expected)


LAST = 2**31 - 1
RANGES = [(0, 1), (4, 8), (-7, 26), (-33, -1), (LAST - 8, LAST), (-LAST - 1, -LAST + 7)]


@every
@pytest.mark.parametrize("bounds", RANGES)
def test_arange_starts_anywhere(engine, bounds: tuple[int, int]) -> None:
    out = torch.full((80,), -9, dtype=torch.int32)
    engine(range_kernel)[1](out, *bounds)
    expected = torch.full((2, 40), -9, dtype=torch.int32)
    expected[:, : bounds[1] - bounds[0]] = torch.arange(*bounds)
    assert_same_bits(out, expected.flatten())


@mytriton.jit
def scatter_kernel(x, index, out, n, N: tl.constexpr):
    lane = tl.arange(0, N)
    on = lane < n
    at = tl.load(index + lane, mask=on, other=-1)
    tl.store(out + at, tl.load(x + lane, mask=on), mask=on & (at >= 0))
    tl.store(out + n + lane, tl.load(x + at, mask=at >= 0, other=-1.0), mask=on)


@every
def test_gathers_and_scatters(engine) -> None:
    n = 77
    generator = torch.Generator().manual_seed(10)
    x, index = torch.randn(n, generator=generator), torch.randperm(n, generator=generator).int()
    index[::5] = -1
    out = torch.zeros(2 * n + 50)
    engine(scatter_kernel)[1](x, index, out, n, N=128)
    expected = torch.zeros_like(out)
    kept = index >= 0
    expected[index[kept].long()] = x[kept]
    expected[n : 2 * n] = torch.where(kept, x[index.clamp(min=0).long()], -1.0)
    assert_same_bits(out, expected)


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
def test_the_last_of_lanes_with_one_address_wins(engine) -> None:
    @mytriton.jit
    def crowd(out, N: tl.constexpr):
        lane = tl.arange(0, N)
        tl.store(out + lane // 3, lane)

    out = torch.zeros(40)
    engine(crowd)[1](out, N=100)
    assert out[:34].tolist() == [2.0 + 3 * k for k in range(33)] + [99.0]
    assert not out[34:].any()


# --- grids ---------------------------------------------------------------------------------------


@mytriton.jit
def grid_kernel(out, totals):
    i, j, k = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    p, q, r = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    program = (k * q + j) * p + i
    tl.store(out + program, i + 100 * j + 10000 * k)
    tl.store(totals + 3 * program + 0, p)
    tl.store(totals + 3 * program + 1, q)
    tl.store(totals + 3 * program + 2, r)


@every
@pytest.mark.parametrize("grid", [6, (6,), [6, 1], (3, 4), (2, 3, 5), (1, 1, 7), (5, 1, 2)])
def test_grids(engine, grid) -> None:
    p, q, r, *_ = (grid, 1, 1) if isinstance(grid, int) else (*grid, 1, 1)
    out, totals = torch.full((r, q, p), -1, dtype=torch.int32), torch.zeros(r, q, p, 3).int()
    engine(grid_kernel)[grid](out, totals)
    k, j, i = torch.meshgrid(*(torch.arange(n).int() for n in (r, q, p)), indexing="ij")
    assert_same_bits(out, i + 100 * j + 10000 * k)
    assert_same_bits(totals, torch.tensor([p, q, r]).int().expand(r, q, p, 3))


@every
@pytest.mark.parametrize("grid", [0, (0,), (3, 0), (0, 2, 2)])
def test_an_empty_grid_runs_nothing(engine, grid) -> None:
    out, totals = torch.full((9,), -1, dtype=torch.int32), torch.zeros(27).int()
    engine(grid_kernel)[grid](out, totals)
    assert (out == -1).all()
    assert not totals.any()


@mytriton.jit
def many_kernel(x, out, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + offs)
    tl.store(out + offs, a / tl.max(a) + tl.program_id(0))


@every
def test_many_programs_share_threads(engine) -> None:
    programs = 100 if engine is cuda_text else 10_000
    rows = torch.rand(programs, 64, generator=torch.Generator().manual_seed(11)) + 0.5
    out = torch.zeros_like(rows)
    assert torch.get_num_threads() >= 1
    engine(many_kernel)[programs](rows, out, BLOCK=64)
    program = torch.arange(float(programs))[:, None]
    assert_same_bits(out, rows / rows.amax(1, keepdim=True) + program)
