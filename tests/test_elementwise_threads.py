"""Elementwise functions called by many threads: each is compiled once, and none is stale."""

import threading
from typing import Any

import pytest
import torch
from test_launch_threads import in_threads, often_switched  # noqa: F401 - a fixture

import mytriton
import mytriton.language as tl

THREADS = 16
FACTOR = 1.0
X, Y = torch.randn(2, 6, 8).unbind()


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that are compiled from now on."""
    names: list[str] = []
    compile_kernel = mytriton.JITFunction._compile

    def counting(self: mytriton.JITFunction, *args: Any) -> mytriton.CompiledKernel:
        made = compile_kernel(self, *args)
        names.append(made.name)
        return made

    monkeypatch.setattr(mytriton.JITFunction, "_compile", counting)
    return names


@pytest.mark.usefixtures("often_switched")
def test_a_first_call_in_sixteen_threads_compiles_once(compiled: list[str]) -> None:
    swiglu = mytriton.elementwise(lambda a, b: a * tl.sigmoid(a) * b)
    results = in_threads(lambda i: swiglu(X + i, Y), THREADS)
    for i, made in enumerate(results):
        torch.testing.assert_close(made, torch.nn.functional.silu(X + i) * Y)
    assert len(compiled) == 1, compiled


@pytest.mark.usefixtures("often_switched")
def test_a_first_call_with_gradients_compiles_each_kernel_once(compiled: list[str]) -> None:
    swiglu = mytriton.elementwise(lambda a, b: a * tl.sigmoid(a) * b)

    def work(function: Any, i: int) -> list[torch.Tensor]:
        inputs = [(X + i).requires_grad_(), Y.clone().requires_grad_()]
        made = function(*inputs)
        made.square().sum().backward()
        return [made.detach(), *(each.grad for each in inputs)]

    results = in_threads(lambda i: work(swiglu, i), THREADS)
    for i, made in enumerate(results):
        torch.testing.assert_close(made, work(lambda a, b: torch.nn.functional.silu(a) * b, i))
    assert len(compiled) == 2, compiled  # forwards and backwards


@pytest.mark.usefixtures("often_switched")
def test_threads_of_different_layouts_and_dtypes() -> None:
    add = mytriton.elementwise(lambda a, b: a + b)
    layouts = [(X, Y), (X.t(), Y.t()), (X, Y[0]), (X.half(), Y), (X.double(), 2), (X[:, ::2], 1.5)]

    def work(i: int) -> bool:
        for a, b in layouts[i % 6 :] + layouts[: i % 6]:
            made, expected = add(a, b), a + b
            assert made.dtype == expected.dtype and torch.equal(made, expected)
        return True

    assert all(in_threads(work, THREADS))


@pytest.mark.usefixtures("often_switched")
def test_calls_while_a_global_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call sees a value that the global had at some time while it ran."""

    @mytriton.elementwise
    def scaled(a):
        return a * FACTOR

    ones = torch.ones(64)
    stop = threading.Event()
    values = (1.0, 2.0, 3.0)
    monkeypatch.setitem(globals(), "FACTOR", values[0])

    def work(i: int) -> set[float]:
        seen: set[float] = set()
        if i == 0:
            for k in range(60):
                globals()["FACTOR"] = values[k % 3]
                seen |= set(scaled(ones).tolist())  # sees its own change: nobody else writes
                assert scaled(ones)[0] == values[k % 3], k
            stop.set()
            return seen
        while not stop.is_set():
            found = set(scaled(ones).tolist())
            assert len(found) == 1, found
            seen |= found
        return seen

    try:
        results = in_threads(work, 8)
    finally:
        stop.set()
    assert results[0] == set(values)
    assert all(each <= set(values) for each in results)
    assert set(scaled(ones).tolist()) == {values[59 % 3]}
