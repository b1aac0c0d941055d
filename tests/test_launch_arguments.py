"""What a launch takes beside tensors and numbers: None, options, constexprs, methods, kernels'
calls of kernels; and what kernels may not do in Python."""

import enum
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refusal

import mytriton
import mytriton.language as tl


class Mode(enum.Enum):
    ADD = 1
    TIMES = 2


@pytest.fixture(autouse=True)
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # no run of the host compiler


@mytriton.jit
def bias_kernel(x, bias, out, scale=None, MODE: tl.constexpr = Mode.ADD):
    value = tl.load(x)
    if bias is not None:
        value += tl.load(bias)
    if scale is not None:
        value = value * scale if MODE is Mode.TIMES else value + scale
    tl.store(out, value)


def launched(kernel: Any, *args: Any, **kwargs: Any) -> float:
    """What is stored to `out`; launched twice, as the second launch may go another way."""
    results = []
    for _ in range(2):
        out = torch.zeros(1)
        kernel[1](*args, out=out, **kwargs)
        results.append(out.item())
    assert results[0] == results[1]
    return results[0]


# --- None ----------------------------------------------------------------------------------------


def test_none_for_tensors_and_numbers() -> None:
    x, bias = torch.ones(1), torch.full((1,), 10.0)
    assert launched(bias_kernel, x, None) == 1
    assert launched(bias_kernel, x, bias) == 11
    assert launched(bias_kernel, x, None, scale=5) == 6
    assert launched(bias_kernel, x, bias, scale=5.0) == 16
    compiled = bias_kernel[1](x, None, torch.zeros(1))
    assert compiled is bias_kernel[1](x, None, torch.zeros(1), None)
    assert compiled is not bias_kernel[1](x, bias, torch.zeros(1))
    assert bias_kernel.compile("*fp32", None, "*fp32") is compiled
    op = getattr(torch.ops.mytriton, str(compiled.op_name).partition("::")[2])
    assert [each.name for each in op.default._schema.arguments[:2]] == ["x", "out"]


def test_none_in_a_graph() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        out = torch.zeros(1)
        bias_kernel[1](x, None, out, 4.0, num_warps=4)
        return out

    assert torch.compile(run, fullgraph=True, backend="eager")(torch.ones(1)).item() == 5


def test_none_where_a_value_is_needed() -> None:
    error = refusal(mytriton.CompileError, bias_kernel, None, None, torch.zeros(1))
    assert "load: pointer: expected a traced value or a Python number, got NoneType" in str(error)


# --- constexprs ----------------------------------------------------------------------------------


@mytriton.jit
def pick_kernel(out, VALUE: tl.constexpr, *, F: tl.constexpr = None):
    value = VALUE[0] if isinstance(VALUE, tuple) else VALUE
    if isinstance(value, str):
        value = len(value)
    if isinstance(value, Mode):
        value = value.value
    if isinstance(value, tl.dtype):
        value = value.primitive_bitwidth
    if value is torch.float16:
        value = 160.0
    tl.store(out, F(value) if F is not None else 0.0 if value is None else value)


CONSTEXPRS: list[tuple[Any, float]] = [
    (True, 1),
    (7, 7),
    (2.5, 2.5),
    ("name", 4),
    (None, 0),
    (tl.float16, 16),
    (tl.pointer_type(tl.int8), 64),
    (torch.float16, 160),
    (Mode.TIMES, 2),
    ((4, "x", (tl.int8, None)), 4),
    (tl.constexpr(3), 3),
    ((tl.constexpr(3),), 3),
]


@pytest.mark.parametrize(("value", "expected"), CONSTEXPRS)
def test_values_of_constexprs(value: Any, expected: float) -> None:
    assert launched(pick_kernel, VALUE=value) == expected
    out = torch.zeros(1)
    assert pick_kernel[1](out, value) is pick_kernel[1](out, VALUE=value)


def test_strings_tuples_and_dtypes_are_keys_of_their_own() -> None:
    values = ["a", "b", "ab", "", "12345678", "123456789", "ä", (), (1,), (1, 2), ((1,), 2)]
    values += [tl.int8, tl.int16, torch.int8, Mode.ADD, Mode.TIMES, 1, 1.0, True, ("a",), (1.0,)]

    @mytriton.jit
    def kernel(out, VALUE: tl.constexpr, OTHER: tl.constexpr):
        tl.store(out, 1.0)

    out, seen = torch.zeros(1), {}
    for _ in range(2):
        for a in values:
            for b in values[:12]:
                assert seen.setdefault(id(kernel[1](out, a, b)), (a, b)) == (a, b)
    assert len(seen) == len(values) * 12


@pytest.mark.parametrize("value", [tl.exp, abs, lambda a: a + 1, np, list])
def test_functions_are_constexprs_and_other_objects_are_not(value: Any) -> None:
    if value in (np, list):
        error = refusal(TypeError, pick_kernel, torch.zeros(1), value)
        assert str(error).endswith(f"or a tuple of these; got {type(value).__name__}")
    else:
        pick_kernel.compile("*fp32", 1.5, F=value)


@pytest.mark.parametrize("value", [np.float32(1), np.int64(1), np.float64(1), torch.tensor(1)])
def test_scalars_of_numpy_and_torch_are_no_constexprs(value: Any) -> None:
    error = refusal(TypeError, pick_kernel, torch.zeros(1), value)
    assert "constexpr argument 'VALUE': expected" in str(error)
    assert str(error).endswith("a number of it is its .item()")


# --- options -------------------------------------------------------------------------------------


def test_options_of_a_launch() -> None:
    x, out = torch.ones(1), torch.zeros(1)
    plain = bias_kernel[1](x, None, out)
    warps = bias_kernel[1](x, None, out, num_warps=8)
    assert warps is not plain and warps.asm["cpu"] == plain.asm["cpu"]
    options: list[tuple[dict[str, Any], Any]] = [
        ({"num_warps": 8, "num_stages": 3}, warps),
        ({"num_stages": 3, "num_warps": 8}, warps),
        ({"layout": None, "accuracy": None, "num_warps": 8}, warps),
        ({"num_ctas": 2, "maxnreg": 64, "launch_pdl": True}, plain),
        ({"launch_cooperative_grid": False}, plain),
        ({"maxnreg": None}, plain),
    ]
    for each, compiled in options * 2:
        assert bias_kernel[1](x, None, out, **each) is compiled
        assert bias_kernel[lambda meta: 1](x, bias=None, out=out, **each) is compiled
        assert bias_kernel.compile(x, None, out, **each) is compiled
    seen: list[Any] = []
    bias_kernel[lambda meta: seen.append(list(meta)) or 1](x, None, out, num_warps=4)
    assert seen == [["x", "bias", "out", "scale", "MODE"]]


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_warps": 3}, ValueError, "'num_warps': expected a power of two, 1 to 32; got 3"),
        ({"num_warps": 0}, ValueError, "expected a power of two"),
        ({"num_warps": 4.0}, TypeError, "option 'num_warps': expected an int, got float"),
        ({"num_warps": True}, TypeError, "option 'num_warps': expected an int, got bool"),
        ({"num_stages": -1}, ValueError, "option 'num_stages': expected at least 0, got -1"),
        ({"num_ctas": 3}, ValueError, "option 'num_ctas': expected a power of two, 1 to 16"),
        ({"maxnreg": 0}, ValueError, "option 'maxnreg': expected at least 1, got 0"),
        ({"launch_pdl": 1}, TypeError, "option 'launch_pdl': expected a bool, got int"),
        ({"num_warp": 4}, TypeError, "unexpected argument 'num_warp'; the parameters are x, bias"),
    ],
)
def test_wrong_options(warm: bool, options: Any, error: Any, message: str) -> None:
    x, out = torch.ones(1), torch.zeros(1)
    bias_kernel.clear_cache()
    if warm:
        bias_kernel[1](x, None, torch.zeros(1), num_warps=4)
    with pytest.raises(error, match=message):
        bias_kernel[1](x, None, out, **options)
    assert out.item() == 0


def test_a_parameter_that_is_called_like_an_option() -> None:
    @mytriton.jit
    def kernel(out, num_warps: tl.constexpr):
        tl.store(out, num_warps)

    assert launched(kernel, num_warps=3) == 3


def test_options_of_jit() -> None:
    @mytriton.jit(
        do_not_specialize=["n", 2],
        do_not_specialize_on_alignment=("out",),
        debug=True,
        noinline=False,
        repr=lambda specialization: "name",
        launch_metadata=None,
    )
    def kernel(out, n):
        tl.store(out, n)

    assert launched(kernel, n=1) == 1
    for options, message in (
        ({"inline": True}, "unexpected option 'inline'; the options are do_not_specialize, "),
        ({"do_not_specialize": "n"}, "do_not_specialize: expected names or indices"),
        ({"debug": 3}, "'debug': expected a bool, got int"),
        ({"repr": "name"}, "jit: repr: expected a function, got str"),
    ):
        with pytest.raises(TypeError, match=message):
            mytriton.jit(**options)  # type: ignore[call-overload]


def test_lists_and_dicts_of_arguments() -> None:
    args, kwargs = (torch.ones(1), None), {"scale": 3.0, "num_warps": 2}
    assert launched(bias_kernel, *args, **kwargs) == 4
