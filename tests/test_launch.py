"""kernel[grid](...): binding, grids and numbers, cold and warm; a warm launch runs no Python."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch

import mytriton
import mytriton.language as tl


@mytriton.jit
def scale_kernel(x, out, s, n, BLOCK: tl.constexpr = 128, LIMIT: tl.constexpr = None):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    value = tl.load(x + offs, mask=mask) * s
    tl.store(out + offs, value if LIMIT is None else tl.minimum(value, LIMIT), mask=mask)


@mytriton.jit
def count_kernel(out, step):
    tl.store(out + tl.program_id(0), tl.load(out + tl.program_id(0)) + step)


@pytest.fixture
def xs() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.arange(1.0, 201.0), torch.zeros(200)


@contextmanager
def python_calls() -> Iterator[list[str]]:
    """The names of the Python functions that are called inside."""
    calls: list[str] = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        del calls[calls.index("__exit__") :]  # of this context manager


# --- what a hit is -------------------------------------------------------------------------------


def test_a_warm_launch_runs_no_python(xs: Any) -> None:
    x, out = xs
    scale_kernel.clear_cache()
    launch = scale_kernel[2]
    with python_calls() as calls:
        first = launch(x, out, 2.0, 200)
    assert "_launch" in calls
    out.zero_()
    with python_calls() as calls:
        again = launch(x, out, 3.0, n=200)
        by_parameter = launch(torch.nn.Parameter(x, requires_grad=False), out, s=4.0, n=200)
    assert calls == ["__new__"]  # of torch.nn.Parameter
    assert first is again is by_parameter
    assert torch.equal(out, 4 * x)
    with python_calls() as calls:
        scale_kernel[2](x, out, 2.0, 200)
    assert calls == ["__getitem__", "is_dynamo_compiling"]


def test_everything_that_changes_the_kernel_is_in_the_key(xs: Any) -> None:
    x, out = xs
    ints = torch.zeros(200, dtype=torch.int32)
    arguments: list[tuple[Any, ...]] = [
        (x, out, 2.0, 200),
        (x, out, 2, 200),
        (x, out, 2**31, 200),
        (x, out, True, 200),
        (x, out, 2.0, True),
        (x, ints, 2.0, 200),
        (ints, out, 2.0, 200),
        (x, x > 0, 2.0, 200),
        (x, out.double(), 2.0, 200),
        (x.half(), out, 2.0, 200),
        (x.bfloat16(), out, 2.0, 200),
        (x.byte(), out, 2.0, 200),
        (x.char(), out, 2.0, 200),
        (x, out, 2.0, 200, 64),
        (x, out, 2.0, 200, 128, 0),
        (x, out, 2.0, 200, 128, 0.0),
        (x, out, 2.0, 200, 128, -0.0),
        (x, out, 2.0, 200, 128, 1),
        (x, out, 2.0, 200, 128, True),
        (x, out, 2.0, 200, 128, 2**31 - 1),
        (x, out, 2.0, 200, 128, 2**31),
    ]
    compiled = [scale_kernel[1](*each) for each in arguments]
    assert len({id(each) for each in compiled}) == len(arguments)
    for each, before in zip(arguments, compiled, strict=True):
        assert scale_kernel[1](*each) is before
    # Not in it: the values of numbers, the grid, sizes, strides, Parameters.
    assert scale_kernel[7, 1, 1](torch.zeros(9)[::2], torch.zeros(3, 3), -1.0, 0) is compiled[0]


def test_the_keys_of_two_constexprs_do_not_run_together() -> None:
    @mytriton.jit
    def kernel(out, a: tl.constexpr, b: tl.constexpr):
        tl.store(out + tl.arange(0, 2), 0.0 if b is None else b)

    out = torch.zeros(2)
    values = [None, False, True, 0, 1, 2, 3, 4, 5, 6, 0.0, 1.0, -0.0, 2**40]
    seen: dict[int, tuple[Any, Any]] = {}
    for a in values:
        for b in values:
            if b != 2**40:
                assert seen.setdefault(id(kernel[1](out, a, b)), (a, b)) == (a, b)
    assert len(seen) == len(values) * (len(values) - 1)


# --- binding -------------------------------------------------------------------------------------


@pytest.mark.parametrize("warm", [False, True])
def test_positions_keywords_and_defaults_are_one_launch(xs: Any, warm: bool) -> None:
    x, out = xs
    scale_kernel.clear_cache()
    if warm:
        scale_kernel[2](x, out, 2.0, 200)
    calls: list[Callable[[], Any]] = [
        lambda: scale_kernel[2](x, out, 2.0, 200),
        lambda: scale_kernel[2](x, out, 2.0, 200, 128, None),
        lambda: scale_kernel[2](x, out, n=200, s=2.0),
        lambda: scale_kernel[2](LIMIT=None, BLOCK=128, n=200, s=2.0, out=out, x=x),
        lambda: scale_kernel[2](*[x, out], **{"".join("s"): 2.0, "n": 200}),
        lambda: scale_kernel[2](x, out, 2.0, 200, BLOCK=tl.constexpr(128)),
    ]
    for call in calls:
        out.zero_()
        assert call() is scale_kernel[2](x, out, 2.0, 200)
        assert torch.equal(out, 2 * x)


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((1.0,), {}, "argument 'n' is missing"),
        ((1.0, 1, 128, None, 3), {}, "expected at most 6 arguments by position, got 7"),
        ((1.0, 1), {"s": 2.0}, "argument 's' is given twice"),
        ((1.0, 1), {"size": 2}, "unexpected argument 'size'; the parameters are x, out, s, n, BLO"),
        ((1.0, 1), {"BLOCK": []}, "'BLOCK': expected a bool, .* or a tuple of these; got list"),
    ],
)
def test_wrong_bindings(xs: Any, warm: bool, args: Any, kwargs: Any, message: str) -> None:
    x, out = xs
    scale_kernel.clear_cache()
    if warm:
        scale_kernel[2](x, torch.empty(200), 2.0, 200)
    with pytest.raises(TypeError, match=message):
        scale_kernel[2](x, out, *args, **kwargs)
    assert not out.any()


# --- grids ---------------------------------------------------------------------------------------

GRIDS = [3, (3,), (3, 1), (3, 1, 1), [3], torch.Size([3])]


@pytest.mark.parametrize("grid", [*GRIDS, *[lambda meta, g=g: g for g in GRIDS]])
def test_forms_of_the_grid(grid: Any) -> None:
    out = torch.zeros(4, dtype=torch.int32)
    for _ in range(3):
        count_kernel[grid](out, 2)
    assert out.tolist() == [6, 6, 6, 0]


@pytest.mark.parametrize("warm", [False, True])
def test_a_grid_function_gets_all_arguments_by_name(xs: Any, warm: bool) -> None:
    x, out = xs
    scale_kernel.clear_cache()
    if warm:
        scale_kernel[1](x, out, 2.0, 200)
    seen = []
    scale_kernel[lambda meta: seen.append(meta) or 1](x, out, n=200, s=2.0)
    assert len(seen) == 1
    assert list(seen[0]) == ["x", "out", "s", "n", "BLOCK", "LIMIT"]
    assert seen[0]["x"] is x and seen[0]["out"] is out
    assert [seen[0][name] for name in ("s", "n", "BLOCK", "LIMIT")] == [2.0, 200, 128, None]


WRONG_GRIDS: list[tuple[Any, type[Exception], str]] = [
    ((), ValueError, r"grid: expected 1 to 3 sizes, got 0: \(\)"),
    ((1, 1, 1, 1), ValueError, "grid: expected 1 to 3 sizes, got 4"),
    (-1, ValueError, "grid axis 0: expected 0 to 2147483647, got -1"),
    ((1, 2**31), ValueError, "grid axis 1: expected 0 to 2147483647, got 2147483648"),
    ((1, 1, 2**70), ValueError, "grid axis 2: expected 0 to 2147483647"),
    (True, TypeError, "grid axis 0: expected an int, got bool: True"),
    (2.0, TypeError, "grid axis 0: expected an int, got float: 2.0"),
    ("3", TypeError, "grid axis 0: expected an int, got str: '3'"),
    (None, TypeError, "grid axis 0: expected an int, got NoneType"),
    ((1, np.int64(2)), TypeError, "grid axis 1: expected an int, got int64"),
    (lambda meta: lambda meta: 1, TypeError, "grid axis 0: expected an int, got function"),
]


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("by_function", [False, True])
@pytest.mark.parametrize(("grid", "error", "message"), WRONG_GRIDS)
def test_wrong_grids(grid: Any, error: Any, message: str, warm: bool, by_function: bool) -> None:
    out = torch.zeros(4, dtype=torch.int32)
    count_kernel.clear_cache()
    if warm:
        count_kernel[0](out, 1)
    if by_function and callable(grid):
        return
    with pytest.raises(error, match=message):
        count_kernel[(lambda meta: grid) if by_function else grid](out, 1)
    assert not out.any()


@pytest.mark.parametrize("warm", [False, True])
def test_what_a_grid_function_raises_comes_out(warm: bool) -> None:
    def grid(meta: dict[str, Any]) -> int:
        raise KeyError("mine")

    out = torch.zeros(4, dtype=torch.int32)
    count_kernel.clear_cache()
    if warm:
        count_kernel[0](out, 1)
    references = sys.getrefcount(out), sys.getrefcount(grid)
    for _ in range(100):
        with pytest.raises(KeyError, match="mine"):
            count_kernel[grid](out, 1)
    gc.collect()  # the exceptions' frames
    assert (sys.getrefcount(out), sys.getrefcount(grid)) == references
    assert not out.any()


def test_a_grid_function_may_clear_the_cache_launch_and_resize() -> None:
    out = torch.zeros(4, dtype=torch.int32)

    def clear(meta: dict[str, Any]) -> int:
        count_kernel.clear_cache()
        gc.collect()
        return 4

    def launch(meta: dict[str, Any]) -> int:
        count_kernel[4](meta["out"], 10)
        return 4

    for _ in range(5):
        count_kernel[4](out, 1)
        compiled = count_kernel[clear](out, 1)
        assert str(compiled.op_name).startswith("mytriton::count_kernel_")
        count_kernel[launch](out, 1)
    assert out.tolist() == [5 * 13] * 4


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("warm", [False, True])
def test_ints_have_32_bits_or_64(warm: bool) -> None:
    out = torch.zeros(1, dtype=torch.int64)
    count_kernel.clear_cache()
    if warm:
        count_kernel[0](out, 1)
        count_kernel[0](out, 2**40)
    artifacts = {}
    for value in (2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), -1):
        bits = 32 if -(2**31) <= value < 2**31 else 64
        compiled = count_kernel[1](out.zero_(), value)
        assert out.item() == value
        assert artifacts.setdefault(bits, compiled) is compiled
        assert f"step: i{bits})" in compiled.asm["ssa"]
    assert artifacts[32] is not artifacts[64]
    for value in (2**63, -(2**63) - 1, 2**64, -(2**200)):
        with pytest.raises(OverflowError, match=f"argument 'step': expected an int .* got {value}"):
            count_kernel[1](out, value)
    assert out.item() == -1


@pytest.mark.parametrize("warm", [False, True])
def test_numbers_of_numpy_and_torch(xs: Any, warm: bool) -> None:
    x, out = xs
    scale_kernel.clear_cache()
    if warm:
        scale_kernel[2](x, torch.empty(200), 2.0, 200)
    for value in (np.float32(2), np.int32(2), np.int64(2), np.bool_(True), np.float16(2)):
        with pytest.raises(TypeError, match=f"'s': .* got numpy.{type(value).__name__}"):
            scale_kernel[2](x, out, value, 200)
    with pytest.raises(TypeError, match=r"'s': expected a tensor of .* got torch.complex64"):
        scale_kernel[2](x, out, torch.tensor(2j), 200)
    for tensor in (torch.tensor(2), torch.tensor(2.0)):  # a pointer
        with pytest.raises(mytriton.CompileError, match="mul requires"):
            scale_kernel[2](x, out, tensor, 200)
    assert not out.any()
    scale_kernel[2](x, out, np.float64(2), 200)  # a Python float
    assert torch.equal(out, 2 * x)
