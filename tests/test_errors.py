"""A wrong call is refused before anything is written: by argument, what was expected, what came."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refusal

import mytriton
import mytriton.language as tl


@mytriton.jit
def fill_kernel(x, n, value=1.0, BLOCK: tl.constexpr = 4):
    lane = tl.arange(0, BLOCK)
    tl.store(x + lane, value, mask=lane < n)


def zeros(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.zeros(4, dtype=dtype)


def refuses(error: type[Exception], message: str, *args: Any, grid: Any = 1, **kwargs: Any) -> None:
    """Refused alike by a kernel that was never launched, and by one that already ran."""
    assert str(refusal(error, fill_kernel, *args, grid=grid, **kwargs)) == message
    x = zeros()
    fill_kernel[1](x, 4)
    assert x.tolist() == [1.0] * 4
    assert str(refusal(error, fill_kernel, *args, grid=grid, **kwargs)) == message
    fill_kernel.clear_cache()


# --- how arguments are passed --------------------------------------------------------------------


def test_wrong_calls() -> None:
    x = zeros()
    refuses(TypeError, "fill_kernel: argument 'n' is missing", x)
    refuses(TypeError, "fill_kernel: argument 'x' is missing", n=4)
    refuses(TypeError, "fill_kernel: argument 'x' is given twice", x, 4, x=x)
    unexpected = "fill_kernel: unexpected argument 'm'; the parameters are x, n, value, BLOCK"
    refuses(TypeError, unexpected, x, 4, m=1)
    error = refusal(TypeError, fill_kernel, x, 4, 1.0, 4, 5)
    assert re.fullmatch("fill_kernel: expected at most 4 arguments.*, got 5", str(error))


def test_a_call_without_a_grid() -> None:
    x = zeros()
    with pytest.raises(RuntimeError, match=re.escape("fill_kernel[grid](...)")):
        fill_kernel(x, 4)
    assert not x.any()


# --- tensors -------------------------------------------------------------------------------------

HOST_NAMES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64"),
]
EXPECTED = f"expected a tensor of {', '.join(f'torch.{name}' for name in HOST_NAMES)}; got"


@pytest.mark.parametrize(
    "dtype",
    [
        torch.float8_e4m3fn,
        torch.float8_e5m2,
        torch.float8_e4m3fnuz,
        torch.float8_e5m2fnuz,
        torch.float8_e8m0fnu,
        torch.complex64,
        torch.complex128,
    ],
)
def test_wrong_element_type(dtype: torch.dtype) -> None:
    refuses(TypeError, f"argument 'x': {EXPECTED} {dtype}", zeros(dtype), 4)
    refuses(TypeError, f"argument 'value': {EXPECTED} {dtype}", zeros(), 4, zeros(dtype))


@pytest.mark.parametrize("dtype", ["complex64", "longdouble", "datetime64[s]", "S4", "O"])
def test_wrong_array_type(dtype: str) -> None:
    array = np.zeros(4, dtype)
    known = ", ".join(name for name in HOST_NAMES if name != "bfloat16")
    message = f"argument 'x': expected an array of {known}; got {array.dtype}"
    refuses(TypeError, message, array, 4)


@pytest.mark.parametrize("name", HOST_NAMES)
def test_every_element_type_is_taken(name: str) -> None:
    x = zeros(getattr(torch, name))
    fill_kernel[1](x, 3)
    assert x.tolist() == [1, 1, 1, 0]
    if name != "bfloat16":
        fill_kernel[1](np.zeros(4, name), 3)


def test_tensors_that_have_no_plain_memory() -> None:
    x = zeros()
    sparse = "argument 'x': expected a dense tensor, got one of torch.sparse_coo"
    refuses(TypeError, sparse, x.to_sparse(), 4)
    meta = "argument 'x': expected a CPU or CUDA tensor, got one on meta"
    refuses(TypeError, meta, x.to("meta"), 4)


@pytest.mark.filterwarnings("ignore:.*deprecated:UserWarning")
def test_quantized_tensor() -> None:
    x = torch.quantize_per_tensor(torch.ones(4), 0.5, 0, torch.qint8)
    with pytest.raises(TypeError) as raised:
        fill_kernel[1](x, 4)
    assert str(raised.value) == f"argument 'x': {EXPECTED} torch.qint8"
    assert x.dequantize().tolist() == [1.0] * 4


def test_tensors_in_different_places() -> None:
    x, array = zeros(), np.zeros(4, np.float32)
    apart = "argument 'value': expected a tensor beside 'x', which is on cpu; got one that is "
    refuses(TypeError, apart + "a NumPy array", x, 4, array)
    apart = "argument 'value': expected a tensor beside 'x', which is a NumPy array; got one that "
    refuses(TypeError, apart + "is on cpu", array, 4, x)
    meta = "argument 'value': expected a CPU or CUDA tensor, got one on meta"
    refuses(TypeError, meta, x, 4, x.to("meta"))


@pytest.mark.parametrize("value", ["text", [1.0], 1 + 2j, object, b"x", {}])
def test_no_tensor_and_no_number(value: Any) -> None:
    kind = type(value).__name__
    message = f"expected a tensor, int, float, bool or None, got {kind}"
    refuses(TypeError, f"argument 'x': {message}", value, 4)
    refuses(TypeError, f"argument 'n': {message}", zeros(), value)


def test_a_launch_without_tensors() -> None:
    message = "a launch needs at least one tensor argument, to tell where to run; got none"
    refuses(TypeError, message, 3, 4)


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 2**64, 2**70, -(2**200)])
def test_ints_of_more_than_64_bits(value: int) -> None:
    message = f"argument 'n': expected an int of 64 bits, got {value}"
    refuses(OverflowError, message, zeros(), value)


@pytest.mark.parametrize("bits", [32, 33, 64])
def test_ints_of_32_bits_and_of_64(bits: int) -> None:
    limit = 2 ** (bits - 1)
    for n, expected in ((limit - 1, [1.0] * 4), (-limit, [0.0] * 4)):
        x = zeros()
        compiled = fill_kernel[1](x, n)
        assert x.tolist() == expected
        assert f"n: i{32 if bits == 32 else 64}," in compiled.asm["ssa"]


@pytest.mark.parametrize("value", [[4], {}, set(), b"4", 4j, object(), (4, [4])])
def test_constexprs_of_other_types(value: Any) -> None:
    kind = type(value).__name__ if not isinstance(value, tuple) else "list"
    message = (
        "constexpr argument 'BLOCK': expected a bool, int, float, str, None, dtype, enum, "
        f"function, or a tuple of these; got {kind}"
    )
    refuses(TypeError, message, zeros(), 4, BLOCK=value)


# --- the grid ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grid", "error", "message"),
    [
        (True, TypeError, "grid axis 0: expected an int, got bool: True"),
        ((1, False), TypeError, "grid axis 1: expected an int, got bool: False"),
        (1.0, TypeError, "grid axis 0: expected an int, got float: 1.0"),
        ((1, 2, 3.5), TypeError, "grid axis 2: expected an int, got float: 3.5"),
        ("1", TypeError, "grid axis 0: expected an int, got str: '1'"),
        (None, TypeError, "grid axis 0: expected an int, got NoneType: None"),
        (-1, ValueError, "grid axis 0: expected 0 to 2147483647, got -1"),
        ((1, -5), ValueError, "grid axis 1: expected 0 to 2147483647, got -5"),
        (2**31, ValueError, "grid axis 0: expected 0 to 2147483647, got 2147483648"),
        (2**80, ValueError, f"grid axis 0: expected 0 to 2147483647, got {2**80}"),
        ((), ValueError, "grid: expected 1 to 3 sizes, got 0: ()"),
        ((1, 2, 3, 4), ValueError, "grid: expected 1 to 3 sizes, got 4: (1, 2, 3, 4)"),
    ],
)
def test_wrong_grid(grid: Any, error: type[Exception], message: str) -> None:
    refuses(error, message, zeros(), 4, grid=grid)
    refuses(error, message, zeros(), 4, grid=lambda meta: grid)


def test_a_grid_function_that_raises() -> None:
    message = "no rows in x, n, value, BLOCK"

    def grid(meta: dict[str, Any]) -> int:
        raise LookupError(f"no rows in {', '.join(meta)}")

    refuses(LookupError, message, zeros(), 4, grid=grid)


def test_an_empty_grid_is_no_mistake() -> None:
    x = zeros()
    for grid in (0, (0,), (2, 0), [0, 1, 1], lambda meta: 0):
        fill_kernel[grid](x, 4)
    assert not x.any()


# --- what is no kernel ---------------------------------------------------------------------------


def test_kernels_have_a_fixed_list_of_parameters() -> None:
    with pytest.raises(TypeError, match=r"wide: a kernel has a fixed list .*; got '\*rest'"):

        @mytriton.jit
        def wide(x, *rest):
            pass

    with pytest.raises(TypeError, match=r"named: a kernel has a fixed list .*; got '\*\*rest'"):

        @mytriton.jit
        def named(x, **rest):
            pass

    with pytest.raises(TypeError, match="jit: expected a function, got int"):
        mytriton.jit(3)


OUTSIDE = {
    "program_id": lambda: tl.program_id(0),
    "num_programs": lambda: tl.num_programs(0),
    "arange": lambda: tl.arange(0, 4),
    "load": lambda: tl.load(zeros()),
    "store": lambda: tl.store(zeros(), 1.0),
    "select": lambda: tl.where(True, 1, 2),
    "cast": lambda: tl.cast(1, tl.float32),
    "exp": lambda: tl.exp(1.0),
    "maximum": lambda: tl.maximum(1.0, 2.0),
    "clamp": lambda: tl.clamp(1.0, 2.0, 3.0),
    "div": lambda: tl.fdiv(1.0, 2.0),
    "sum": lambda: tl.sum(1.0),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_the_language_outside_a_kernel(name: str) -> None:
    message = f"{name} works only inside a kernel that is being launched"
    with pytest.raises(RuntimeError) as raised:
        OUTSIDE[name]()
    assert str(raised.value) == message


def test_what_works_outside_a_kernel() -> None:
    assert [mytriton.cdiv(n, 256) for n in (0, 1, 256, 257)] == [0, 1, 1, 2]
    assert [mytriton.next_power_of_2(n) for n in (0, 1, 3, 4, 1000)] == [1, 1, 4, 4, 1024]
