"""Names of elementwise ops besides those of tl: methods, tl.math, and libdevice, all of them."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from engines import assert_same_bits, evaluated, every
from op_references import ROWS
from op_spellings import Spelling, check_spellings, columns_of

import mytriton
import mytriton.language as tl
from mytriton.language.extra import libdevice
from mytriton.language.extra.cuda import libdevice as cuda_libdevice


def method_of(name: str) -> Callable[..., Any]:
    return lambda x, y, z: getattr(x, name)()


def function_of(module: Any, name: str, count: int) -> Callable[..., Any]:
    return lambda x, y, z: getattr(module, name)(*(x, y, z)[:count])


def attribute_calls(element: str) -> list[Spelling]:
    """x.exp(), tl.math.exp(x) and so on, for every row that has such names."""

    calls: list[Spelling] = []
    for name, row in ROWS.items():
        if row["python"] != "tl" or element not in row["types"]:
            continue
        operands = ("x", "y", "z")[: row["operands"]]
        calls += [(function_of(tl.math, name, len(operands)), name, operands)]
        if len(operands) == 1:
            calls += [(method_of(name), name, operands)]
    return calls


# Names of libdevice that are not their row's.
LIBDEVICE = {
    **{"add_rn": "add", "sub_rn": "sub", "mul_rn": "mul", "fma_rn": "fma", "div_rn": "div"},
    **{"sqrt_rn": "sqrt", "finitef": "isfinited", "nearbyint": "rint", "fast_dividef": "div"},
    **{"fast_cosf": "cos", "fast_expf": "exp", "fast_log10f": "log10", "fast_log2f": "log2"},
    **{"fast_logf": "log", "fast_powf": "pow", "fast_sinf": "sin", "fast_tanf": "tan"},
    **{"fast_tanhf": "tanh"},
}
# Those that are no row's, by their operand's type.
BITS = {
    "float_as_int": ("f32", torch.int32),
    "float_as_uint": ("f32", torch.uint32),
    "int_as_float": ("i32", torch.float32),
    "uint_as_float": ("u32", torch.float32),
    "double_as_longlong": ("f64", torch.int64),
    "longlong_as_double": ("i64", torch.float64),
}
OF_INTS = {"clz", "popc"}


def libdevice_calls() -> list[Spelling]:
    calls: list[Spelling] = []
    for name in libdevice.__all__:
        row = LIBDEVICE.get(name, name)
        if row in ROWS and row not in OF_INTS:
            operands = ("x", "y", "z")[: ROWS[row]["operands"]]
            calls += [(function_of(libdevice, name, len(operands)), row, operands)]
    return calls


def test_every_name_of_libdevice_is_tested() -> None:
    rows = {name for name in libdevice.__all__ if LIBDEVICE.get(name, name) in ROWS}
    assert set(libdevice.__all__) == rows | BITS.keys() | {"rcp_rn", "saturatef"}
    assert all(getattr(cuda_libdevice, name) for name in libdevice.__all__)
    with pytest.raises(AttributeError, match=r"libdevice\.fast_sin is not available"):
        libdevice.fast_sin  # noqa: B018
    with pytest.raises(AttributeError, match=r"tl\.math has no function 'expp'"):
        tl.math.expp  # noqa: B018


# Names are Python's matter, so that one engine is enough; it compiles nothing.
@pytest.mark.parametrize("element", ["i64", "f16", "f32", "f64"])
def test_methods_and_tl_math(element: str) -> None:
    check_spellings(evaluated, element, attribute_calls(element))


def test_libdevice() -> None:
    check_spellings(evaluated, "f32", libdevice_calls())


@pytest.mark.parametrize("element", ["i32", "i64", "u32", "u64"])
def test_libdevice_of_ints(element: str) -> None:
    calls = [(function_of(libdevice, name, 1), name, ("x",)) for name in ("abs", *sorted(OF_INTS))]
    check_spellings(evaluated, element, calls)


@mytriton.jit
def bits_kernel(x, out, CALL: tl.constexpr, N: tl.constexpr):
    lane = tl.arange(0, N)
    value = CALL(tl.load(x + lane))
    assert value.dtype == out.dtype.element_ty
    tl.store(out + lane, value)


@every
@pytest.mark.parametrize("name", BITS)
def test_bits_in_libdevice(engine, name: str) -> None:
    element, dtype = BITS[name]
    x = columns_of(element)[0]
    out = torch.empty(x.numel(), dtype=dtype)
    engine(bits_kernel)[1](x, out, CALL=getattr(libdevice, name), N=x.numel())
    assert_same_bits(out, x.view(dtype), x)
