"""Texts with something wrong in them: each is found, and reported as what it is.

Most are emitted texts with one thing broken; a few are written by hand, to try what the emitter
does not print.
"""

import re
from typing import Any

import pytest
import torch
from cuda_on_cpu.runner import CudaError, CudaText
from kernels import add_kernel

import mytriton
import mytriton.language as tl


@mytriton.jit
def sum_kernel(x, out, WIDTH: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, WIDTH))))


@mytriton.jit
def two_sums_kernel(x, out, WIDTH: tl.constexpr):
    a = tl.load(x + tl.arange(0, WIDTH))
    tl.store(out, tl.sum(a) - tl.sum(a * a))


@mytriton.jit
def reverse_kernel(x, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    tl.store(x + (WIDTH - 1 - at), tl.load(x + at))


@mytriton.jit
def count_kernel(count, out, WIDTH: tl.constexpr):
    tl.store(count, tl.load(count) + 1)
    tl.store(out + tl.arange(0, WIDTH), 0)


@mytriton.jit
def divide_kernel(x, y, out, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    tl.store(out + at, tl.load(x + at) // tl.load(y + at))


@mytriton.jit
def wrap_kernel(x, out, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    tl.store(out + at, tl.load(x + at) * 3)


@mytriton.jit
def every_program_kernel(out):
    tl.store(out, tl.program_id(0))


def text(kernel: mytriton.JITFunction, *arguments: Any, **constants: Any) -> CudaText:
    arrays = [a.numpy() if isinstance(a, torch.Tensor) else a for a in arguments]
    return CudaText.of(kernel[1](*arrays, **constants))


def by_hand(body: str, threads: int, parameters: str = "int* x") -> CudaText:
    text = f'extern "C" __global__\nvoid kernel({parameters}) {{\n{body}\n}}'
    return CudaText(text, f"lane layout: {threads} threads")


def error_of(kernel: CudaText, grid: tuple[int, ...], *arguments: Any, **options: Any) -> CudaError:
    with pytest.raises(CudaError) as caught:
        kernel.run(grid, *arguments, **options)
    return caught.value


X, Y, OUT = torch.arange(1000.0), torch.ones(1000), torch.zeros(1000)
INTS = torch.arange(1, 1001, dtype=torch.int32)
ADD = text(add_kernel, X, Y, OUT, 1000, BLOCK=256)
SUM_64 = text(sum_kernel, X, OUT, WIDTH=64)
SUM_100 = text(sum_kernel, X, OUT, WIDTH=100)
SUM_100_INTS = text(sum_kernel, INTS, INTS, WIDTH=100)
TWO_SUMS = text(two_sums_kernel, X, OUT, WIDTH=100)
REVERSE = text(reverse_kernel, X, WIDTH=64)
COUNT = text(count_kernel, INTS, INTS, WIDTH=64)
DIVIDE = text(divide_kernel, INTS, INTS, INTS, WIDTH=32)
WRAP = text(wrap_kernel, INTS, INTS, WIDTH=32)
EVERY_PROGRAM = text(every_program_kernel, INTS)

BARRIER = "    __syncthreads();\n"
LOAD_MASK = ADD.replaced("(v5 ? y[v3] : 0.0f)", "y[v3]")
STORE_MASK = ADD.replaced("if (v5)", "if (true)")
NO_BARRIER_IN_SUM = SUM_64.replaced(BARRIER, "")
NO_BARRIER_IN_REVERSE = REVERSE.replaced(BARRIER, "")
ALL_THREADS_COUNT = COUNT.replaced("if (threadIdx.x == 0)", "if (true)")
ALL_THREADS_COUNT_AT_ONCE = ALL_THREADS_COUNT.replaced(BARRIER, "")
ONE_BUFFER = TWO_SUMS.replaced(", mt_warps1)", ", mt_warps0)")
LANE_CHECKS = [
    (source, source.replaced("lane + step < width", broken))
    for source in (SUM_100, SUM_100_INTS)
    for broken in ("lane + step <= width", "lane + step < 32", "true")
]
FULL_MASK = SUM_100.replaced("0xffffffffu >> (32 - width)", "0xffffffffu")
NARROW_MASK = SUM_64.replaced("0xffffffffu >> (32 - width)", "0x0000ffffu")
SOME_AT_BARRIER = SUM_64.replaced(BARRIER, "    if (warp == 0) __syncthreads();\n")
TWO_BARRIERS = SUM_64.replaced(
    BARRIER, "    if (warp == 0)\n        __syncthreads();\n    else\n        __syncthreads();\n"
)
DIVIDES_BY_ZERO = DIVIDE.replaced("b == 0 ? -1 : ", "")
OVERFLOWS = WRAP.replaced("(unsigned)", "", 2)


def sum_arguments(kernel: CudaText) -> tuple[torch.Tensor, torch.Tensor]:
    if kernel.parameters[0][0] == "int*":
        return INTS[:100], torch.zeros(1, dtype=torch.int32)
    return X[:100], torch.zeros(1)


# --- bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1000, 1])
def test_a_mask_that_is_missing(n: int) -> None:
    arguments = [X[:n], Y[:n], torch.zeros(n), n]
    assert torch.equal(ADD.run((4,), *arguments)[2], X[:n] + 1)
    for broken, verb, name in [(LOAD_MASK, "reads", "y"), (STORE_MASK, "writes", "out")]:
        error = error_of(broken, (4,), *arguments)
        assert error.kind == "out of bounds"
        assert f" {verb} {name}[{n}], but {name} has {n} elements" in str(error)


def test_before_the_first_element() -> None:
    kernel = by_hand("x[(int)blockIdx.x - 2] = 1;", 1)
    error = error_of(kernel, (1,), INTS[:9])
    assert (error.kind, "x[-2]" in str(error)) == ("out of bounds", True)


def test_far_beyond_the_last_element() -> None:
    kernel = by_hand("y[0] = x[2147483647LL * 2];", 1, "int* x, int* y")
    error = error_of(kernel, (1,), INTS, INTS.clone())
    assert (error.kind, "x[4294967294]" in str(error)) == ("out of bounds", True)


def test_an_empty_tensor() -> None:
    error = error_of(by_hand("x[0] = 1;", 1), (1,), INTS[:0])
    assert (error.kind, "has 0 elements" in str(error)) == ("out of bounds", True)


def test_memory_of_nobody() -> None:
    error = error_of(by_hand("*(int*)(long long)(blockIdx.x + 64) = x[0];", 1), (1,), INTS)
    assert error.kind == "out of bounds"


# --- order ---------------------------------------------------------------------------------------


def test_a_barrier_that_is_missing() -> None:
    assert torch.equal(REVERSE.run((1,), X[:64])[0], X[:64].flip(0))
    error = error_of(NO_BARRIER_IN_REVERSE, (1,), X[:64])
    assert error.kind == "race"
    assert re.search(r"x\[\d+\] is (read|written) by thread \d+ and .* by thread", str(error))


def test_a_barrier_that_is_missing_in_a_reduction() -> None:
    assert SUM_64.run((1,), *sum_arguments(SUM_64))[1].item() == 64 * 63 / 2
    error = error_of(NO_BARRIER_IN_SUM, (1,), *sum_arguments(SUM_64))
    assert error.kind == "uninitialised"


def test_a_shared_buffer_that_is_used_again_too_early() -> None:
    for seed in range(3):
        TWO_SUMS.run((1,), *sum_arguments(TWO_SUMS), seed=seed)
    error = error_of(ONE_BUFFER, (1,), *sum_arguments(TWO_SUMS))
    assert error.kind == "race"
    assert "shared memory" in str(error)


def test_a_store_that_one_thread_should_do() -> None:
    arguments = INTS[:1], torch.zeros(64, dtype=torch.int32)
    assert COUNT.run((1,), *arguments)[0].item() == 2
    assert error_of(ALL_THREADS_COUNT, (1,), *arguments).kind == "race"
    # After the barrier, all write one value; else they count each other.
    assert ALL_THREADS_COUNT.run((1,), *arguments, equal_writes=True)[0].item() == 2
    error = error_of(ALL_THREADS_COUNT_AT_ONCE, (1,), *arguments, equal_writes=True)
    assert error.kind == "race"


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        (NO_BARRIER_IN_REVERSE, (X[:64],)),
        (ALL_THREADS_COUNT_AT_ONCE, (INTS[:1], INTS[:64])),
        (ONE_BUFFER, (X[:100], torch.zeros(1))),
        (EVERY_PROGRAM, (INTS[:1],)),
    ],
)
def test_results_alone_show_that_the_order_matters(kernel: CudaText, arguments: tuple) -> None:
    grid = (4,) if kernel is EVERY_PROGRAM else (1,)
    error = error_of(kernel, grid, *arguments, races=False, orders=5)
    assert error.kind == "order-dependent result"
    assert re.search(r"\w+\[\d+\] is .* or .*, by the order", str(error))


def test_blocks_that_write_one_element() -> None:
    assert EVERY_PROGRAM.run((1,), INTS[:1])[0].item() == 0
    error = error_of(EVERY_PROGRAM, (2,), INTS[:1])
    assert error.kind == "race"
    assert "out[0] is written by thread 0 of another block and written by" in str(error)


def test_blocks_of_which_one_reads_what_another_writes() -> None:
    kernel = by_hand("if (blockIdx.x) x[0] = x[1]; else x[1] = 7;", 1)
    assert error_of(kernel, (2,), INTS).kind == "race"


@pytest.mark.parametrize("writer", [0, 3, 35])
def test_many_readers_and_one_writer(writer: int) -> None:
    body = f"int v = x[0];\nif (threadIdx.x == {writer}) x[0] = v + 1;\nx[threadIdx.x + 1] = v;"
    assert error_of(by_hand(body, 40), (1,), INTS).kind == "race"
    ordered = by_hand(body.replace("if", "__syncthreads();\nif"), 40)
    assert ordered.run((1,), INTS)[0].tolist()[:41] == [2] + [1] * 40


def test_a_block_that_writes_what_all_read() -> None:
    kernel = by_hand("int v = x[0];\nif (blockIdx.x == 1) x[0] = v + 1;", 1)
    error = error_of(kernel, (2,), INTS, orders=0)
    assert error.kind == "race"


def test_tensors_that_overlap() -> None:
    base = torch.arange(1001.0)
    assert error_of(ADD, (4,), base[:-1], Y, base[1:], 1000).kind == "race"
    assert torch.equal(ADD.run((4,), base[:-1], Y, base[:-1], 1000)[2], base[1:])


def test_equal_writes() -> None:
    kernel = by_hand("x[threadIdx.x / 2] = 5;", 64)
    assert kernel.run((3,), INTS, equal_writes=True)[0].tolist()[:33] == [5] * 32 + [33]
    assert error_of(kernel, (1,), INTS).kind == "race"
    unequal = by_hand("x[threadIdx.x / 2] = threadIdx.x;", 64)
    assert error_of(unequal, (1,), INTS, equal_writes=True).kind == "race"


# --- warps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "broken"), LANE_CHECKS)
def test_a_lane_that_is_not_there(source: CudaText, broken: CudaText) -> None:
    arguments = sum_arguments(source)
    assert source.run((1,), *arguments)[1].item() == arguments[0].sum().item()
    error = error_of(broken, (1,), *arguments)
    assert error.kind == "poison"
    assert "out[0]" in str(error)


def test_a_mask_that_names_lanes_that_are_not_there() -> None:
    error = error_of(FULL_MASK, (1,), *sum_arguments(FULL_MASK))
    assert error.kind == "mask"
    assert "0xffffffff, but lane 4 does not exist" in str(error)
    assert "__shfl_down_sync(active, value, step);" in str(error)


def test_a_mask_that_does_not_name_its_lane() -> None:
    error = error_of(NARROW_MASK, (1,), *sum_arguments(NARROW_MASK))
    assert (error.kind, "thread 16 of" in str(error)) == ("mask", True)


def test_lanes_that_shuffle_elsewhere() -> None:
    body = """
        int v = 0;
        if (threadIdx.x < 16)
            v = __shfl_xor_sync(0xffffffffu, 1, 1);
        else
            v = __shfl_xor_sync(0xffffffffu, 1, 1);
        x[threadIdx.x] = v;"""
    assert error_of(by_hand(body, 32), (1,), INTS).kind == "mask"


SHUFFLES = by_hand(
    """
    int t = threadIdx.x;
    int* out = x + 64 + t * 9;
    unsigned all = 0xffffffffu;
    out[0] = __shfl_xor_sync(all, x[t], 5);
    out[1] = __shfl_up_sync(all, x[t], 3);
    out[2] = __shfl_down_sync(all, x[t], 3);
    out[3] = __shfl_sync(all, x[t], 35);
    out[4] = __shfl_sync(all, x[t], t + 1, 8);
    out[5] = __shfl_down_sync(all, x[t], 3, 8);
    out[6] = __shfl_up_sync(all, x[t], 3, 8);
    out[7] = (int)(__shfl_xor_sync(all, x[t] * 10000000000LL, 1) / 10000000000LL);
    out[8] = (int)__shfl_down_sync(all, (float)x[t], 1);
    """,
    64,
)


def test_shuffles() -> None:
    given = torch.cat([torch.arange(64), torch.zeros(64 * 9, dtype=torch.int64)]).to(torch.int32)
    got = SHUFFLES.run((1,), given)[0][64:].view(64, 9)
    for thread, row in enumerate(got.tolist()):
        warp, lane = thread // 32 * 32, thread % 32
        eight, in_eight = thread // 8 * 8, thread % 8
        assert row == [
            warp + (lane ^ 5),
            thread - 3 if lane >= 3 else thread,
            thread + 3 if lane + 3 < 32 else thread,
            warp + 3,
            eight + (in_eight + 1) % 8,
            thread + 3 if in_eight + 3 < 8 else thread,
            thread - 3 if in_eight >= 3 else thread,
            thread ^ 1,
            thread + 1 if lane < 31 else thread,
        ]


SYNC_WARP = by_hand(
    """
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = x[t];
    __syncwarp();
    int next = words[t ^ 1];
    __syncwarp();
    words[t ^ 2] = next;
    __syncwarp();
    x[t] = words[t];
    """,
    64,
)
WITHOUT_ONE = [
    SYNC_WARP.replaced("x[t];\n    __syncwarp();", "x[t];"),
    SYNC_WARP.replaced("__syncwarp();\n    words", "words"),
    SYNC_WARP.replaced("__syncwarp();\n    x", "x"),
]


def test_a_warp_waits_for_itself() -> None:
    got = SYNC_WARP.run((1,), INTS[:64])[0]
    assert got.tolist() == [(thread ^ 3) + 1 for thread in range(64)]
    kinds = [error_of(each, (1,), INTS[:64]).kind for each in WITHOUT_ONE]
    assert kinds == ["uninitialised", "race", "race"]
    across = SYNC_WARP.replaced("words[t ^ 1]", "words[t ^ 32]")
    assert error_of(across, (1,), INTS[:64]).kind in ("uninitialised", "race")


ALL_LANES_READ = by_hand(
    """
    __shared__ int words[64];
    int t = threadIdx.x, first = t / 32 * 32;
    words[t] = x[t];
    __syncwarp();
    int v = words[first];
    __syncwarp();
    if (t % 32 == 5)
        words[first] = v * 10;
    __syncwarp();
    x[t] = words[first];
    """,
    64,
)
TOO_EARLY = ALL_LANES_READ.replaced("words[first];\n    __syncwarp();", "words[first];")


def test_a_lane_that_writes_what_all_lanes_read() -> None:
    got = ALL_LANES_READ.run((1,), INTS[:64])[0]
    assert got.tolist() == [10] * 32 + [330] * 32
    assert error_of(TOO_EARLY, (1,), INTS[:64]).kind == "race"


# --- barriers ------------------------------------------------------------------------------------


def test_threads_that_end_without_the_barrier() -> None:
    kernel = by_hand("if (threadIdx.x < 31)\n    __syncthreads();\nx[threadIdx.x] = 0;", 64)
    error = error_of(kernel, (1,), INTS)
    assert error.kind == "divergent barrier"
    assert "31 of 64 threads wait at this barrier, 0 at another, 33 have ended" in str(error)


def test_a_barrier_for_some_warps() -> None:
    error = error_of(SOME_AT_BARRIER, (1,), *sum_arguments(SUM_64), races=False)
    assert error.kind == "divergent barrier"
    assert "32 of 64 threads wait at this barrier, 0 at another, 32 have ended" in str(error)
    assert "| " in str(error)  # the line of the text


def test_a_barrier_in_each_branch() -> None:
    error = error_of(TWO_BARRIERS, (1,), *sum_arguments(SUM_64))
    assert error.kind == "divergent barrier"
    assert "32 of 64 threads wait at this barrier, 32 at another, 0 have ended" in str(error)


# --- arithmetic and crashes ----------------------------------------------------------------------


def test_division_by_zero() -> None:
    zeros = torch.zeros(32, dtype=torch.int32)
    assert DIVIDE.run((1,), INTS[:32], zeros, zeros.clone())[2].tolist() == [-1] * 32
    error = error_of(DIVIDES_BY_ZERO, (1,), INTS[:32], zeros, zeros.clone())
    assert error.kind == "undefined"
    assert "division by zero" in str(error)
    assert "a / b" in str(error)  # the line of the text


def test_integer_overflow() -> None:
    large, out = torch.full((32,), 2**30, dtype=torch.int32), torch.zeros(32, dtype=torch.int32)
    assert WRAP.run((1,), large, out)[1].tolist() == [-(2**30)] * 32
    assert error_of(OVERFLOWS, (1,), large, out).kind == "undefined"


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = 1 << (x[0] + 31);",
        "x[0] = (int)(3e9f * x[0]);",
        "__shared__ int s[4]; s[x[4]] = 1;",
        "x[0] = *(int*)((char*)x + x[0]);",
        "x[0] = -(x[0] - 1 - 2147483647 - 1);",
    ],
)
def test_what_else_cpp_does_not_define(body: str) -> None:
    assert error_of(by_hand(body, 1), (1,), INTS).kind == "undefined"


def test_crashes_and_endless_loops() -> None:
    assert error_of(by_hand("__builtin_trap();", 1), (1,), INTS).kind == "crash"
    endless = by_hand("while (x[0]) {}", 1)
    endless.run((1,), INTS[:0].new_zeros(1))
    assert error_of(endless, (1,), INTS, timeout=1).kind == "timeout"


def test_a_text_that_is_not_cpp() -> None:
    good, bad = by_hand("x[0] = 2;", 1), by_hand("x[0] = missing;", 1)
    error = error_of(bad, (1,), INTS)
    assert error.kind == "compile"
    assert re.search("kernel.cu:3:8: error: .*missing.* was not declared", str(error))
    assert good.run((1,), INTS)[0][0] == 2


# --- the other kind of fiber ---------------------------------------------------------------------


def test_fibers_without_assembly() -> None:
    arguments = sum_arguments(SUM_100)
    (got,) = SUM_100.run((1,), *arguments, ucontext=True)[1:]
    assert torch.equal(got, SUM_100.run((1,), *arguments)[1])
    assert error_of(FULL_MASK, (1,), *arguments, ucontext=True).kind == "mask"
