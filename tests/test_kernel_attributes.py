"""What a kernel tells of itself - its parameters, its text - and its launches by method."""

import functools
import inspect
from typing import Any

import kernels
import pytest
import torch

import mytriton
import mytriton.language as tl


@mytriton.jit(do_not_specialize=["n", 0])
def scale_kernel(x, n: int, factor=2.0, *, BLOCK: tl.constexpr, SHIFT: "tl.constexpr" = 3):
    """Scales."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + lane, tl.load(x + lane, mask=lane < n) * factor + SHIFT, mask=lane < n)


def test_params() -> None:
    assert scale_kernel.arg_names == ["x", "n", "factor", "BLOCK", "SHIFT"]
    params = scale_kernel.params
    assert [p.name for p in params] == scale_kernel.arg_names
    assert [p.num for p in params] == [0, 1, 2, 3, 4]
    assert [p.is_constexpr for p in params] == [False, False, False, True, True]
    assert [p.has_default for p in params] == [False, False, True, False, True]
    empty = inspect.Parameter.empty
    assert [p.default for p in params] == [empty, empty, 2.0, empty, 3]
    assert [p.annotation for p in params] == ["", "int", "", "constexpr", "constexpr"]
    assert [p.do_not_specialize for p in params] == [True, True, False, False, False]
    assert not any(p.do_not_specialize for p in kernels.add_kernel.params)
    assert repr(params[1]) == "<parameter 1 n>"


def test_params_follow_the_function() -> None:
    def fill(x, value=1.0):
        tl.store(x, value)

    kernel, x = mytriton.jit(fill), torch.zeros(1)
    kernel[1](x)
    fill.__defaults__ = (5.0,)
    kernel[1](x)
    assert x.item() == kernel.params[1].default == 5.0


def test_annotations_are_names() -> None:
    def kernel(a: "tl.float32", b: tl.float32, c: torch.Tensor, d: "torch.Tensor", e: Any): ...

    given = [p.annotation for p in mytriton.jit(kernel).params]
    assert given == ["float32", "fp32", "Tensor", "torch.Tensor", "Any"]


def test_src_is_the_text_without_decorators() -> None:
    class Kernels:
        @mytriton.jit(
            debug=False,
        )
        def inner(x):
            tl.store(x, 1)

    assert Kernels.inner.src == "def inner(x):\n    tl.store(x, 1)\n"
    first, _, rest = scale_kernel.src.partition("\n")
    assert first.startswith("def scale_kernel(x, n: int, factor=2.0, *, BLOCK: tl.constexpr")
    assert rest.startswith('    """Scales."""\n') and rest.endswith("mask=lane < n)\n")
    lambda_kernel = mytriton.jit(lambda x: tl.store(x, 1))
    assert lambda_kernel.src.strip() == "lambda_kernel = mytriton.jit(lambda x: tl.store(x, 1))"
    names: dict[str, Any] = {"mytriton": mytriton}
    exec("@mytriton.jit\ndef kernel(x): ...", names)
    with pytest.raises(OSError):
        _ = names["kernel"].src


def test_run_is_a_launch() -> None:
    x, expected = torch.arange(8.0), torch.arange(8.0)
    expected[:6] = expected[:6] * 2 + 3
    compiled = scale_kernel.run(x, 6, grid=(2,), BLOCK=4)
    assert torch.equal(x, expected)
    by_function = scale_kernel.run(x, 0, grid=lambda meta: (meta["BLOCK"],), warmup=False, BLOCK=4)
    assert compiled is by_function is scale_kernel[1](x, 0, BLOCK=4)
    assert torch.equal(x, expected)
    with pytest.raises(TypeError, match="argument 'BLOCK' is missing"):
        scale_kernel.run(x, 6, grid=(2,))


@pytest.mark.parametrize(
    "warm",
    [
        functools.partial(scale_kernel.warmup, grid=(1,)),
        functools.partial(scale_kernel.run, grid=(1,), warmup=True),
        mytriton.heuristics({})(scale_kernel).warmup,
    ],
    ids=["warmup", "run", "heuristics"],
)
def test_warmup_only_compiles(warm: Any) -> None:
    x = torch.arange(8.0)
    compiled = warm(x, 8, BLOCK=8)
    assert isinstance(compiled, mytriton.CompiledKernel)
    assert torch.equal(x, torch.arange(8.0))
    assert warm(torch.float32, "i32", BLOCK=8) is compiled
    assert "vector<8 x" in compiled.asm["ssa"]
    assert scale_kernel[1](x, 8, BLOCK=8) is compiled


def test_run_in_torch_compile() -> None:
    def scaled(x: torch.Tensor) -> torch.Tensor:
        out = x.clone()
        scale_kernel.run(out, 8, grid=(1,), BLOCK=8)
        return out + x

    x = torch.arange(8.0)
    compiled = torch.compile(scaled, fullgraph=True, backend="eager")
    assert torch.equal(compiled(x), 3 * x + 3)
