"""What is over when a kernel is traced: static loops, checks, prints, hints."""

import itertools
import re
import sys
from typing import Any

import pytest
import torch
from engines import every

import mytriton
import mytriton.language as tl

# --- static_range --------------------------------------------------------------------------------


def total(values):
    result = 0.0
    for k in tl.static_range(len(values)):
        result = result + values[k] * (k + 1)
    return result


@mytriton.jit
def powers(value, N: tl.constexpr):
    found = []
    for _ in tl.static_range(N):
        value = value * 2.0
        found.append(value)
    return tuple(found)


@mytriton.jit
def loops_kernel(x, out, N: tl.constexpr, STEP: tl.constexpr):
    i = tl.arange(0, 8)
    rows = [tl.load(x + i + 8 * k) for k in tl.static_range(0, N, STEP)]
    value = total(rows)
    for start in tl.static_range(1, 3):
        for down in tl.static_range(start, -1, step=-1):  # nested, and bounds of the outer one
            value += down
    for each in powers(value, N):
        value += each
    tl.store(out + i, value)


@every
def test_static_range_unrolls(engine: Any) -> None:
    x, out = torch.arange(32.0), torch.zeros(8)
    engine(loops_kernel)[1](x, out, N=4, STEP=2)
    value = x[:8] + 2 * x[16:24] + (1 + 0) + (2 + 1 + 0)
    assert torch.equal(out, value * (1 + 2 + 4 + 8 + 16))


def test_static_range_is_python_s_range() -> None:
    for args in itertools.product([-3, 0, 1, 5], [-2, 0, 4], [-2, -1, 1, 3]):
        assert list(tl.static_range(*args)) == list(range(*args))
        assert list(tl.static_range(*(tl.constexpr(each) for each in args))) == list(range(*args))
    assert list(tl.static_range(arg1=1, arg2=8, step=3)) == [1, 4, 7]
    assert list(tl.static_range(3)) == [0, 1, 2]
    assert all(type(each) is int for each in tl.static_range(tl.constexpr(3)))


# --- static_assert and static_print --------------------------------------------------------------


@mytriton.jit
def checked_kernel(x, N: tl.constexpr):
    tl.static_assert(N % 2 == 0, f"N must be even, got {N}")
    tl.static_assert(x.dtype.element_ty == tl.float32)
    tl.static_assert(tl.constexpr(N), tl.constexpr("N must not be 0"))
    tl.store(x, 5.0)


def test_static_assert() -> None:
    x = torch.zeros(1)
    checked_kernel[1](x, 4)
    assert x.item() == 5.0
    for wrong, y, message in [
        (3, x, "static_assert failed: N must be even, got 3"),
        (4, x.int(), "static_assert failed"),
        (0, x, "static_assert failed: N must not be 0"),
    ]:
        y.zero_()
        with pytest.raises(mytriton.CompileError) as caught:
            checked_kernel[1](y, wrong)
        assert caught.value.message == message
        shown = str(caught.value).splitlines()
        assert shown[0].startswith(f"{__file__}:") and shown[0].endswith(f": error: {message}")
        assert shown[1].strip().startswith("tl.static_assert(") and "^^^" in shown[2]
        assert y.item() == 0


@mytriton.jit
def printing_kernel(x, n, N: tl.constexpr):
    block = tl.load(x + tl.arange(0, N))
    tl.static_print("block", block, block.dtype, x, n, sep=", ")
    tl.static_print(f"N={N}", tl.constexpr("text"), None, (N, block), end="!\n", flush=True)
    tl.store(x, 5.0)


def test_static_print_prints_once_a_specialisation(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.zeros(8)
    for _ in range(2):
        printing_kernel[1](x, 3, 8)
    assert capsys.readouterr().out == (
        "block, <traced vector<8 x f32>>, fp32, <traced ptr<f32>>, <traced i32>\n"
        "N=8 text None (8, <traced vector<8 x f32>>)!\n"
    )
    printing_kernel[1](x, 3, 4)
    assert "vector<4 x f32>" in capsys.readouterr().out


@mytriton.jit
def complaining_kernel(x):
    tl.static_print(1, 2, file=sys.stderr)


def test_static_print_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    complaining_kernel.compile("*fp32")
    assert capsys.readouterr() == ("", "1 2\n")


# --- hints ---------------------------------------------------------------------------------------


@mytriton.jit
def hinted_kernel(x: tl.const, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.assume(n > 0)
    tl.assume(N > 0)
    n = tl.multiple_of(n, 4)
    i = tl.max_contiguous(tl.multiple_of(i, N), N)
    i = tl.max_constancy(tl.multiple_of(i, (N,)), [tl.constexpr(1)])
    x = tl.multiple_of(x, 16)
    value = tl.load(x + i, mask=i < n)
    tl.debug_barrier()
    tl.store(out + tl.multiple_of(N, 4) - 1 - i, value, mask=i < n)


@mytriton.jit
def plain_kernel(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + N - 1 - i, value, mask=i < n)


@every
def test_hints_change_nothing(engine: Any) -> None:
    x, out = torch.arange(16.0), torch.zeros(16)
    engine(hinted_kernel)[1](x, out, 16, N=16)
    assert torch.equal(out, x.flip(0))


def test_hints_leave_no_code() -> None:
    texts = [
        str(kernel.compile("*fp32", "*fp32", "i32", N=16).ssa_ops).splitlines()
        for kernel in (hinted_kernel, plain_kernel)
    ]
    assert len(texts[0]) == len(texts[1])


@mytriton.jit
def hints_kernel(x):
    for hint in (tl.multiple_of, tl.max_contiguous, tl.max_constancy):
        tl.static_assert(hint(x, 16) is x)
        tl.static_assert(hint(3, 1) == 3)
        tl.static_assert(hint(tl.constexpr(4), tl.constexpr(2)) == 4)
    for result in (tl.assume(True), tl.debug_barrier(), tl.static_assert(True)):
        tl.static_assert(result is None)


def test_what_hints_return() -> None:
    hints_kernel.compile("*fp32")


# --- numbers as values ---------------------------------------------------------------------------


@mytriton.jit
def numbers_kernel(x):
    half = tl.load(x)
    for number, dtype in [
        (True, tl.int1),
        (1, tl.int32),
        (-(2**31), tl.int32),
        (2**31, tl.uint32),
        (2**32, tl.int64),
        (-(2**63), tl.int64),
        (2**63, tl.uint64),
        (0.5, tl.float32),
        (tl.constexpr(7), tl.int32),
    ]:
        tl.static_assert(tl.to_tensor(number).dtype == dtype, number)
    tl.static_assert((half * 2.0).dtype == tl.float16)  # a number is weak, a value is not
    tl.static_assert((half * tl.to_tensor(2.0)).dtype == tl.float32)
    tl.static_assert(tl.to_tensor(half) is half)


def test_to_tensor_keeps_the_type_of_a_number() -> None:
    numbers_kernel.compile("*fp16")


# --- swizzle2d -----------------------------------------------------------------------------------


@mytriton.jit
def swizzle_kernel(out, rows, columns, GROUP: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    new_i, new_j = tl.swizzle2d(i, j, rows, columns, GROUP)
    tl.store(out + (i * columns + j) * 2, new_i)
    tl.store(out + (i * columns + j) * 2 + 1, new_j)


def swizzled(rows: int, columns: int, group: int) -> list[list[int]]:
    """Bands of `group` rows, each column by column."""
    return [
        [i, j]
        for top in range(0, rows, group)
        for j in range(columns)
        for i in range(top, min(top + group, rows))
    ]


@pytest.mark.parametrize(("rows", "columns", "group"), [(4, 4, 2), (5, 3, 2), (7, 4, 3), (2, 5, 8)])
def test_swizzle2d(rows: int, columns: int, group: int) -> None:
    expected = swizzled(rows, columns, group)
    out = torch.full((rows * columns, 2), -1, dtype=torch.int32)
    swizzle_kernel[(rows, columns)](out, rows, columns, group)
    assert out.tolist() == expected
    places = itertools.product(range(rows), range(columns))
    assert [list(tl.swizzle2d(*each, rows, columns, group)) for each in places] == expected


# --- what is refused -----------------------------------------------------------------------------

REFUSED = [
    (lambda x, n: tl.static_range(n), "static_range: end must be an int known at compile time"),
    (lambda x, n: tl.static_range(n, 4), "static_range: start must be an int known at compile"),
    (lambda x, n: tl.static_range(0, 4, n), "static_range: step must be an int known at compile"),
    (lambda x, n: tl.static_range(0, 4, 0), "static_range: step must not be 0"),
    (lambda x, n: tl.static_range(2.0), "static_range: end must be .*, got float"),
    (lambda x, n: tl.static_assert(n > 2), "static_assert: the condition must be known at compile"),
    (lambda x, n: tl.static_assert(False), "^static_assert failed$"),
    (lambda x, n: tl.static_assert(None, 5), "^static_assert failed: 5$"),
    (lambda x, n: tl.multiple_of(x, n), "multiple_of: values must be an int known at compile"),
    (lambda x, n: tl.multiple_of(x, 0), "multiple_of: values must be positive, got 0"),
    (lambda x, n: tl.multiple_of(x, -8), "multiple_of: values must be positive, got -8"),
    (lambda x, n: tl.multiple_of(x, (8, 8)), "multiple_of: expected 1 values, .* got 2"),
    (lambda x, n: tl.multiple_of(tl.load(x), 8), "multiple_of: input must be ints or pointers"),
    (lambda x, n: tl.multiple_of("x", 8), "multiple_of: input must be an int known .* got str"),
    (lambda x, n: tl.max_contiguous(n, ()), "max_contiguous: expected 1 values, .* got 0"),
    (lambda x, n: tl.max_constancy(n, 1.5), "max_constancy: values must be .*, got float"),
    (lambda x, n: tl.assume(n), "assume: expected a bool scalar, got <traced i32>"),
    (lambda x, n: tl.assume(tl.arange(0, 4) < n), "assume: expected a bool scalar, got <traced v"),
    (lambda x, n: tl.assume(1), "assume: expected a bool, got int"),
    (lambda x, n: tl.assume(2 < 1), "assume: the condition is false"),
    (lambda x, n: tl.to_tensor("x"), "to_tensor: expected a traced value or a Python number"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_refused(make: Any, message: str) -> None:
    @mytriton.jit
    def kernel(x, n):
        make(x, n)

    with pytest.raises(mytriton.CompileError) as caught:
        kernel.compile("*fp32", "i32")
    assert re.search(message, caught.value.message), caught.value.message
    assert caught.value.place is not None and caught.value.place[0] == __file__


def test_outside_of_kernels() -> None:
    for function in (tl.debug_barrier, lambda: tl.to_tensor(1)):
        with pytest.raises(RuntimeError, match="works only inside a kernel"):
            function()
