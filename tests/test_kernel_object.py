"""Kernels are objects like functions: defined anywhere, copied and pickled by name, collected."""

import copy
import functools
import gc
import pickle
import types
import weakref
from typing import Any

import pytest
import torch
from kernels import add_kernel

import mytriton
import mytriton.language as tl


class Kernels:
    @mytriton.jit
    def plain(x, n):
        offs = tl.arange(0, 16)
        tl.store(x + offs, tl.load(x + offs, mask=offs < n) + 1.0, mask=offs < n)

    @staticmethod
    @mytriton.jit
    def static(x, n):
        offs = tl.arange(0, 16)
        tl.store(x + offs, tl.load(x + offs, mask=offs < n) + 2.0, mask=offs < n)


def make_kernel(value: float) -> mytriton.JITFunction:
    @mytriton.jit
    def kernel(x, n):
        offs = tl.arange(0, 16)
        tl.store(x + offs, tl.load(x + offs, mask=offs < n) + value, mask=offs < n)

    return kernel


class Shifted(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift = torch.nn.Parameter(torch.ones(8))
        self.kernel = add_kernel

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        self.kernel[1](x, self.shift, out, 8, BLOCK=128)
        return out


def added(kernel: Any, *args: Any, **kwargs: Any) -> float:
    """What a launch adds to each of 16 numbers: the half of what two add."""
    x = torch.zeros(16)
    for _ in range(2):
        kernel[1](x, *args, **kwargs)
    assert (x == x[0]).all()
    return x[0].item() / 2


# --- where kernels are defined -------------------------------------------------------------------


def test_kernels_in_classes() -> None:
    assert added(Kernels.plain, 16) == added(Kernels().plain, 16) == 1
    assert added(Kernels.static, 16) == added(Kernels().static, 16) == 2


def test_closures_of_one_function_are_kernels_of_their_own() -> None:
    one, two, one_again = make_kernel(1.0), make_kernel(2.0), make_kernel(1.0)
    assert [added(kernel, 16) for kernel in (one, two, one_again)] == [1, 2, 1]
    names = [kernel[1](torch.zeros(16), 16).op_name for kernel in (one, two, one_again)]
    assert names[0] == names[2] != names[1]


def test_a_lambda() -> None:
    kernel = mytriton.jit(
        lambda x, n: tl.store(x + tl.arange(0, 16), tl.load(x + tl.arange(0, 16)) + n)
    )
    assert added(kernel, 16) == 16
    assert str(kernel[1](torch.zeros(16), 16).op_name).startswith("mytriton::lambda_")


def test_a_partial_function() -> None:
    def fill(x, value, step: tl.constexpr, width: tl.constexpr = 16):
        tl.store(x + tl.arange(0, width), tl.load(x + tl.arange(0, width)) + value * step)

    kernel = mytriton.jit(functools.partial(fill, step=3))
    assert added(kernel, 2.0) == 6
    assert added(kernel, 2.0, step=4) == 8
    with pytest.raises(TypeError, match="expected at most 2 arguments by position, got 3"):
        kernel[1](torch.zeros(16), 2.0, 4)


def test_a_callable_object() -> None:
    class Fill:
        def __call__(self, x, value):
            tl.store(x + tl.arange(0, 16), tl.load(x + tl.arange(0, 16)) + value)

    assert added(mytriton.jit(Fill()), 2.0) == 2


def test_names_in_two_modules() -> None:
    def module(name: str, value: float) -> Any:
        made = types.ModuleType(name)
        made.__dict__.update(mytriton=mytriton, tl=tl)
        source = f"""
@mytriton.jit
def kernel(x, n):
    offs = tl.arange(0, 16)
    tl.store(x + offs, tl.load(x + offs) + {value})
"""
        exec(compile(source, f"<{name}>", "exec"), made.__dict__)
        return made.kernel

    kernels = [module("first", 1.0), module("second", 2.0), module("third", 1.0)]
    assert [added(kernel, 16) for kernel in kernels] == [1, 2, 1]
    assert len({kernel[1](torch.zeros(16), 16).op_name for kernel in kernels}) == 3


@pytest.mark.parametrize("warm", [False, True])
def test_parameters_by_position_or_by_name_only(warm: bool) -> None:
    @mytriton.jit
    def kernel(x, /, value, *, times, WIDTH: tl.constexpr = 16):
        offs = tl.arange(0, WIDTH)
        tl.store(x + offs, tl.load(x + offs) + value * times)

    x = torch.zeros(16)
    if warm:
        assert added(kernel, 2.0, times=3.0) == 6
        assert added(kernel, value=2.0, times=3.0) == 6
        assert added(kernel, times=3.0, value=2.0, WIDTH=16) == 6
    with pytest.raises(TypeError, match=r"unexpected argument 'x'; .* are value, times, WIDTH"):
        kernel[1](x=x, value=2.0, times=3.0)
    with pytest.raises(TypeError, match="expected at most 2 arguments by position, got 3"):
        kernel[1](x, 2.0, 3.0)
    assert not x.any()


@pytest.mark.parametrize("warm", [False, True])
def test_a_launch_inside_a_kernel_is_refused(warm: bool) -> None:
    inner = make_kernel(1.0)
    if warm:
        added(inner, 16)

    @mytriton.jit
    def outer(x, n):
        inner[1](x, n)

    @mytriton.jit
    def right(x, n):
        inner(x, n)

    x = torch.zeros(16)
    with pytest.raises(mytriton.CompileError, match="cannot be launched inside another") as caught:
        outer[1](x, 16)
    assert "inner[1](x, n)" in str(caught.value)
    assert not x.any()
    assert added(right, 16) == 1
    assert added(inner, 16) == 1


# --- copies --------------------------------------------------------------------------------------


def test_kernels_are_copied_and_pickled_by_name() -> None:
    for kernel in (add_kernel, Kernels.plain):
        assert copy.copy(kernel) is kernel
        assert copy.deepcopy({"a": [kernel]})["a"][0] is kernel
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(kernel, protocol)) is kernel


def test_kernels_that_have_no_name_are_not_pickled() -> None:
    kernel = make_kernel(1.0)
    assert copy.deepcopy(kernel) is kernel
    with pytest.raises((pickle.PicklingError, AttributeError), match=r"make_kernel\.<locals>"):
        pickle.dumps(kernel)


def test_a_module_that_holds_a_kernel() -> None:
    model = Shifted()
    x = torch.arange(8.0)
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert made.kernel is add_kernel
        assert made.shift is not model.shift
        with torch.no_grad():
            assert torch.equal(made(x), x + 1)


# --- lifetime ------------------------------------------------------------------------------------


def test_a_kernel_is_collected_with_all_that_it_holds() -> None:
    class Value:
        def __float__(self) -> float:
            return 3.0

    held = Value()
    kernel = make_kernel(held.__float__())
    kernel.held = held  # type: ignore[attr-defined]
    assert added(kernel, 16) == 3
    gone = [weakref.ref(kernel), weakref.ref(held)]
    del kernel, held
    gc.collect()
    assert [each() for each in gone] == [None, None]


def test_a_kept_launch_keeps_its_kernel_and_is_collected_in_a_cycle() -> None:
    class Model:
        def __init__(self, kernel: mytriton.JITFunction) -> None:
            self.size = 1
            self.launch = kernel[lambda meta: self.size]

    kernel = make_kernel(3.0)
    gone = [weakref.ref(kernel)]
    model = Model(kernel)
    del kernel
    gc.collect()
    x = torch.zeros(16)
    model.launch(x, 16)
    model.launch(x, 16)
    assert torch.equal(x, torch.full((16,), 6.0))
    gone.append(weakref.ref(model))
    del model
    gc.collect()
    assert [each() for each in gone] == [None, None]


def test_a_compiled_kernel_outlives_its_kernel() -> None:
    kernel = make_kernel(3.0)
    compiled = kernel[1](torch.zeros(16), 16)
    text = compiled.cuda_src
    del kernel
    gc.collect()
    assert compiled.cuda_src == text
    op = getattr(torch.ops.mytriton, str(compiled.op_name).removeprefix("mytriton::"))
    x = torch.zeros(16)
    op(x, 16, 1, 1, 1)
    assert torch.equal(x, torch.full((16,), 3.0))
