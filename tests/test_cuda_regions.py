"""Branches and loops in CUDA text, run on the CPU: their values, and the barriers in them.

Kernels are given as SSA. Where a barrier matters, the text without it is shown to fail.
"""

import re
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from cuda_on_cpu.runner import CudaError, CudaText


def without_barrier(text: CudaText, number: int) -> CudaText:
    """The text without the barrier of this number in the kernel's own body, the first being 0."""
    at = text.text.index("__global__")
    for _ in range(number + 1):
        at = text.text.index("__syncthreads();", at + 1)
    return CudaText(text.text[:at] + text.text[at:].replace("__syncthreads();", "", 1), text.plan)


def error_of(kernel: CudaText, grid: tuple[int, ...], *arguments: Any, **options: Any) -> CudaError:
    with pytest.raises(CudaError) as caught:
        kernel.run(grid, *arguments, **options)
    return caught.value


def barriers(text: CudaText) -> int:
    return text.text[text.text.index("__global__") :].count("__syncthreads();")


def numbers(*shape: int) -> torch.Tensor:
    """Whole numbers, so that sums are exact in any order."""
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randint(-100, 100, shape, generator=generator).float()


# --- values --------------------------------------------------------------------------------------

ROW_SUM = CudaText.of_ssa("""
kernel row_sum(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = program_id {axis=0} : i32
    %2 = mul %1, columns : i32
    %3 = addptr x, %2 : ptr<f32>
    %4 = splat 0.0 : vector<64 x f32>
    %12 = for %5 in range(0, columns, 64) iter_args(%6 = %4) : vector<64 x f32> {
        %7 = addptr %3, %5 : ptr<f32>
        %8 = addptr %7, %0 : vector<64 x ptr<f32>>
        %9 = sub columns, %5 : i32
        %10 = cmp_lt %0, %9 : vector<64 x bool>
        %11 = load %8, %10, 0.0 : vector<64 x f32>
        %13 = add %6, %11 : vector<64 x f32>
        yield %13
    }
    %14 = sum %12 : f32
    %15 = addptr out, %1 : ptr<f32>
    store %15, %14, none
}""")

FIBONACCI = CudaText.of_ssa("""
kernel fibonacci(out: ptr<i64>, n: i32) {
    %1, %2 = for %0 in range(0, n, 1) iter_args(%3 = 0_i64, %4 = 1_i64) : i64, i64 {
        %5 = add %3, %4 : i64
        yield %4, %5
    }
    store out, %1, none
}""")

SWAP_TYPES = "f16, f16, bool, bool"
SWAP_INITS = "%10 = 1.0_f16, %11 = -2.5_f16, %12 = true, %13 = false"
SWAP = CudaText.of_ssa(f"""
kernel swap(h: ptr<f16>, on: ptr<bool>, n: i64) {{
    %0 = addptr h, 1 : ptr<f16>
    %1 = addptr on, 1 : ptr<bool>
    %5, %6, %7, %8 = for %4 in range(0_i64, n, 1_i64) iter_args({SWAP_INITS}) : {SWAP_TYPES} {{
        yield %11, %10, %13, %12
    }}
    store h, %5, none
    store %0, %6, none
    store on, %7, none
    store %1, %8, none
}}""")

COLLATZ = CudaText.of_ssa("""
kernel collatz(out: ptr<i32>, n: i64) {
    %1, %2 = while iter_args(%3 = n, %4 = 0) : i64, i32 {
        %5 = cmp_gt %3, 1_i64 : bool
        condition %5
        %6 = rem %3, 2_i64 : i64
        %7 = cmp_eq %6, 0_i64 : bool
        %8 = if %7 : i64 {
            %9 = div %3, 2_i64 : i64
            yield %9
        } else {
            %10 = mul %3, 3_i64 : i64
            %11 = add %10, 1_i64 : i64
            yield %11
        }
        %12 = add %4, 1 : i32
        yield %8, %12
    }
    store out, %2, none
}""")

TRIANGLE = CudaText.of_ssa("""
kernel triangle(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = splat 0.0 : vector<64 x f32>
    for %2 in range(0, n, 1) {
        %3 = for %4 in range(%2, -1, -1) iter_args(%5 = %1) : vector<64 x f32> {
            %6 = rem %4, 2 : i32
            %7 = cmp_eq %6, 0 : bool
            %8 = if %7 : vector<64 x f32> {
                %9 = mul %4, 64 : i32
                %10 = addptr x, %9 : ptr<f32>
                %11 = addptr %10, %0 : vector<64 x ptr<f32>>
                %12 = load %11, none, none : vector<64 x f32>
                %13 = add %5, %12 : vector<64 x f32>
                yield %13
            } else {
                yield %5
            }
            yield %8
        }
        %14 = sum %3 : f32
        %15 = addptr out, %2 : ptr<f32>
        store %15, %14, none
    }
}""")


@pytest.mark.parametrize("columns", [0, 1, 64, 200])
def test_a_row_is_summed_in_a_loop(columns: int) -> None:
    x = numbers(3, columns)
    assert torch.equal(ROW_SUM.run((3,), x, torch.ones(3), columns)[1], x.sum(1))


def test_carried_values_change_places() -> None:
    out = torch.zeros(1, dtype=torch.int64)
    fibonacci = [FIBONACCI.run((1,), out, n)[0].item() for n in (0, 1, 2, 10, 90)]
    assert fibonacci == [0, 1, 1, 55, 2880067194370816120]
    for n in (0, 1, 2, 2001):
        h, on = SWAP.run((1,), torch.zeros(2, dtype=torch.float16), torch.zeros(2) != 0, n)
        assert h.tolist() == ([-2.5, 1.0] if n % 2 else [1.0, -2.5])
        assert on.tolist() == ([0, 1] if n % 2 else [1, 0])


def test_a_while_with_branches() -> None:
    out = torch.zeros(1, dtype=torch.int32)
    assert [COLLATZ.run((1,), out, n)[0].item() for n in (-3, 1, 2, 27)] == [0, 0, 1, 111]


def test_loops_in_loops() -> None:
    x = numbers(6, 64)
    got = TRIANGLE.run((1,), x, torch.zeros(6), 6)[1]
    assert torch.equal(got, torch.stack([x[: n + 1 : 2].sum() for n in range(6)]))


# --- ranges --------------------------------------------------------------------------------------

DTYPES = {
    **{"i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64},
    **{"u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64},
}


NAMES = ("start", "stop", "step")


def ranges_of(element: str) -> list[tuple[int, int, int]]:
    bits = int(element[1:])
    least, most = (
        (0, 2**bits - 1) if element[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    ranges = [
        *((0, 5, 1), (3, 3, 1), (5, 3, 1), (0, 7, 3), (1, 7, 3), (0, 9, 0), (2, 0, 0)),
        *((most - 3, most, 1), (most - 3, most, 2), (most - 4, most, 3), (0, most, most)),
        *((0, most, most - 1), (least, most, most), (most, least, 1), (most - 1, most, most)),
    ]
    if least < 0:
        ranges += [
            *((5, 0, -1), (5, -1, -2), (0, 5, -1), (least + 3, least, -1), (least + 3, least, -2)),
            *(
                (most, least, least),
                (most, least, -most),
                (0, least, least),
                (least, most, 3 - least),
            ),
            *((-5, 5, 4), (least, least + 1, most), (0, -1, least)),
        ]
    return [each for each in ranges if least <= each[2] <= most]


def range_text(element: str, bounds: Sequence[str]) -> CudaText:
    parameters = ", ".join(f"{name}: {element}" for name in NAMES)
    return CudaText.of_ssa(f"""
kernel range(out: ptr<{element}>, count: ptr<i32>, {parameters}) {{
    %0 = for %1 in range({", ".join(bounds)}) iter_args(%2 = 0) : i32 {{
        %3 = addptr out, %2 : ptr<{element}>
        store %3, %1, none
        %4 = add %2, 1 : i32
        yield %4
    }}
    store count, %0, none
}}""")


RANGES = []
for element in DTYPES:
    at_run_time = range_text(element, NAMES)
    for bounds in ranges_of(element):
        spelled = [f"{each}_{element}" for each in bounds]
        if element == "i32":
            spelled = [str(each) for each in bounds]
        RANGES.append((element, bounds, at_run_time))
        RANGES.append((element, bounds, range_text(element, [*NAMES[:2], spelled[2]])))
        RANGES.append((element, bounds, range_text(element, spelled)))


@pytest.mark.parametrize("element", DTYPES)
def test_indices_are_those_of_python(element: str) -> None:
    for each, bounds, text in RANGES:
        if each != element:
            continue
        expected = list(range(*bounds)) if bounds[2] else []
        out = torch.zeros(len(expected) + 1, dtype=torch.int64).to(DTYPES[element])
        count = torch.zeros(1, dtype=torch.int32)
        got, got_count = text.run((1,), out, count, *bounds, orders=0)
        assert (got.tolist()[:-1], got_count.item()) == (expected, len(expected)), text.text


# --- barriers ------------------------------------------------------------------------------------

LARGEST_SUM = CudaText.of_ssa("""
kernel largest_sum(x: ptr<f32>, out: ptr<f32>, rows: i32) {
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = for %2 in range(0, rows, 1) iter_args(%3 = -inf) : f32 {
        %4 = mul %2, 100 : i32
        %5 = addptr x, %4 : ptr<f32>
        %6 = addptr %5, %0 : vector<100 x ptr<f32>>
        %7 = load %6, none, none : vector<100 x f32>
        %8 = sum %7 : f32
        %9 = maximum %3, %8 : f32
        yield %9
    }
    store out, %1, none
}""")


def test_a_shared_buffer_is_not_written_while_others_read_it() -> None:
    x, out = numbers(5, 100), torch.zeros(1)
    assert LARGEST_SUM.run((1,), x, out, 5)[1] == x.sum(1).max()
    assert barriers(LARGEST_SUM) == 1
    error = error_of(without_barrier(LARGEST_SUM, 0), (1,), x, out, 5)
    assert (error.kind, "shared memory" in str(error)) == ("race", True)
    broken = without_barrier(LARGEST_SUM, 0)
    assert error_of(broken, (1,), x, out, 5, races=False, orders=9).kind == "order-dependent result"


TWO_REDUCTIONS = CudaText.of_ssa("""
kernel softmax_rows(x: ptr<f32>, rows: i32) {
    %0 = arange {start=0, end=100} : vector<100 x i32>
    for %2 in range(0, rows, 1) {
        %4 = mul %2, 100 : i32
        %5 = addptr x, %4 : ptr<f32>
        %6 = addptr %5, %0 : vector<100 x ptr<f32>>
        %7 = load %6, none, none : vector<100 x f32>
        %8 = max %7 : f32
        %9 = sum %7 : f32
        %10 = sub %9, %8 : f32
        store %6, %10, none
    }
}""")


def test_the_barrier_of_one_reduction_serves_another() -> None:
    x = numbers(5, 100)
    got = TWO_REDUCTIONS.run((1,), x, 5, orders=5)[0]
    assert torch.equal(got, (x.sum(1) - x.max(1).values)[:, None].expand(5, 100))
    # It is the row that a barrier waits for: that of the next round is not known to be another.
    assert barriers(TWO_REDUCTIONS) == 1


SHIFT = CudaText.of_ssa("""
kernel shift(x: ptr<f32>, times: i32) {
    %0 = arange {start=0, end=96} : vector<96 x i32>
    %1 = add %0, 1 : vector<96 x i32>
    %2 = addptr x, %1 : vector<96 x ptr<f32>>
    %3 = addptr x, %0 : vector<96 x ptr<f32>>
    for %4 in range(0, times, 1) {
        %5 = load %2, none, none : vector<96 x f32>
        store %3, %5, none
    }
    %6 = load %2, none, none : vector<96 x f32>
    store %3, %6, none
}""")


def test_each_round_sees_the_rounds_before() -> None:
    x = numbers(97)
    for times in (0, 1, 5):
        got = SHIFT.run((1,), x, times)[0]
        assert torch.equal(got, torch.cat([x[times + 1 :], x[-1:].expand(times + 1)]))
    assert barriers(SHIFT) == 4
    for number in range(4):
        assert error_of(without_barrier(SHIFT, number), (1,), x, 5).kind == "race"


MOVING = CudaText.of_ssa("""
kernel moving(x: ptr<f32>, times: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    for %1 in range(0, times, 1) {
        %2 = add %0, %1 : vector<64 x i32>
        %3 = addptr x, %2 : vector<64 x ptr<f32>>
        %4 = load %3, none, none : vector<64 x f32>
        %5 = add %4, 1.0 : vector<64 x f32>
        store %3, %5, none
    }
}""")
STAYING = CudaText.of_ssa("""
kernel staying(x: ptr<f32>, times: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    for %2 in range(0, times, 1) {
        %3 = load %1, none, none : vector<64 x f32>
        %4 = add %3, 1.0 : vector<64 x f32>
        store %1, %4, none
    }
}""")


def test_an_address_that_moves_from_round_to_round() -> None:
    x = torch.zeros(80)
    expected = torch.zeros(80)
    for i in range(10):
        expected[i : i + 64] += 1
    assert torch.equal(MOVING.run((1,), x, 10)[0], expected)
    assert error_of(without_barrier(MOVING, 0), (1,), x, 10).kind == "race"
    assert barriers(STAYING) == 0
    assert STAYING.run((1,), x, 10)[0].tolist() == [10.0] * 64 + [0.0] * 16


COUNT = CudaText.of_ssa("""
kernel count(total: ptr<i32>, out: ptr<i32>, times: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    for %1 in range(0, times, 1) {
        %2 = load total, none, none : i32
        %3 = add %2, %1 : i32
        store total, %3, none
    }
    %4 = load total, none, none : i32
    %5 = addptr out, %0 : vector<64 x ptr<i32>>
    store %5, %4, none
}""")


def test_a_scalar_in_memory_is_counted_up() -> None:
    total, out = torch.zeros(1, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    got = COUNT.run((1,), total, out, 10)
    assert (got[0].item(), got[1].tolist()) == (45, [45] * 64)
    for number in range(barriers(COUNT)):
        assert error_of(without_barrier(COUNT, number), (1,), total, out, 10).kind == "race"


TICKETS = CudaText.of_ssa("""
kernel tickets(next: ptr<i32>, x: ptr<i32>, n: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    while {
        %1 = atomic_rmw next, 1, none {rmw=add} : i32
        %2 = cmp_lt %1, n : bool
        condition %2
        %3 = mul %1, 64 : i32
        %4 = addptr x, %3 : ptr<i32>
        %5 = addptr %4, %0 : vector<64 x ptr<i32>>
        store %5, %1, none
    }
}""")


def test_all_threads_learn_what_one_of_them_got() -> None:
    counter, x = torch.zeros(1, dtype=torch.int32), torch.zeros(7, 64, dtype=torch.int32)
    got = TICKETS.run((3,), counter, x, 7)
    assert got[0].item() == 10
    assert torch.equal(got[1], torch.arange(7, dtype=torch.int32)[:, None].expand(7, 64))
    assert barriers(TICKETS) == 2
    for number in range(2):
        assert error_of(without_barrier(TICKETS, number), (1,), counter, x, 7).kind == "race"


LOCK = CudaText.of_ssa("""
kernel locked(lock: ptr<i32>, x: ptr<i32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<i32>>
    while {
        %2 = atomic_cas lock, 0, 1 : i32
        %3 = cmp_ne %2, 0 : bool
        condition %3
    }
    %4 = load %1, none, none : vector<64 x i32>
    %5 = add %4, 1 : vector<64 x i32>
    store %1, %5, none
    %6 = atomic_rmw lock, 0, none {rmw=xchg} : i32
}""")


def test_a_lock() -> None:
    lock, x = torch.zeros(1, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    # Blocks are ordered by the lock alone, of which the search for races knows nothing.
    got = LOCK.run((5,), lock, x, races=False)
    assert (got[0].item(), got[1].tolist()) == (0, [5] * 64)
    # All have stored before the lock is given back.
    assert re.search(r"x\[v0\] = v5;\n    __syncthreads\(\);\n    if \(threadIdx", LOCK.text)


FLAG = CudaText.of_ssa("""
kernel flags(flag: ptr<i32>, x: ptr<i32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<i32>>
    %2 = while iter_args(%3 = 0) : i32 {
        %4 = load flag, none, none {volatile=1} : i32
        %5 = cmp_ne %4, 0 : bool
        condition %5
        %6 = sub %4, 1 : i32
        store flag, %6, none
        %7 = add %3, 1 : i32
        yield %7
    }
    store %1, %2, none
}""")


def test_one_thread_reads_what_others_may_change() -> None:
    flag, x = torch.full((1,), 5, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    assert FLAG.run((1,), flag, x)[1].tolist() == [5] * 64
    for number in range(barriers(FLAG)):
        kind = error_of(without_barrier(FLAG, number), (1,), flag, x).kind
        assert kind in ("race", "uninitialised")


ARMS = CudaText.of_ssa("""
kernel arms(x: ptr<f32>, out: ptr<f32>, up: bool, again: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = sub 63, %0 : vector<64 x i32>
    %2 = addptr x, %0 : vector<64 x ptr<f32>>
    %3 = addptr out, %0 : vector<64 x ptr<f32>>
    %4 = load %2, none, none : vector<64 x f32>
    if up {
        store %3, %4, none
    } else {
        %5 = addptr out, %1 : vector<64 x ptr<f32>>
        store %5, %4, none
    }
    if again {
        %6 = load %3, none, none : vector<64 x f32>
        %7 = addptr x, %1 : vector<64 x ptr<f32>>
        store %7, %6, none
    }
}""")


@pytest.mark.parametrize("up", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_stores_in_both_arms(up: bool, again: bool) -> None:
    x, zeros = numbers(64), torch.zeros(64)
    out = x if up else x.flip(0)
    got = ARMS.run((1,), x, zeros, up, again)
    assert torch.equal(got[1], out)
    assert torch.equal(got[0], out.flip(0) if again else x)


def test_what_either_arm_stored_is_waited_for() -> None:
    broken = without_barrier(ARMS, 0)
    x, zeros = numbers(64), torch.zeros(64)
    assert error_of(broken, (1,), x, zeros, False, True).kind == "race"
    broken.run((1,), x, zeros, False, False)


def test_a_barrier_in_a_loop_that_some_threads_have_left() -> None:
    broken = LARGEST_SUM.replaced("v2 < rows", "v2 < rows - (int)threadIdx.x / 32")
    error = error_of(broken, (1,), numbers(5, 100), torch.zeros(1), 5, races=False)
    assert error.kind == "divergent barrier"
    assert "threads wait at this barrier" in str(error)
