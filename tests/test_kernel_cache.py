"""What a kernel keeps of what it compiled: bounded, shared by threads, and not by processes."""

import concurrent.futures
import gc
import multiprocessing
import os
import pickle
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import mytriton
import mytriton.language as tl
from mytriton import variants

FACTOR: Any = 1.0
TRACED: list[int] = []
note = TRACED.append


@mytriton.jit
def add_kernel(x, n, VALUE: tl.constexpr):
    offs = tl.arange(0, 16)
    tl.store(x + offs, tl.load(x + offs, mask=offs < n) + VALUE * FACTOR, mask=offs < n)


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # no run of the host compiler


def added(value: Any) -> float:
    x = torch.zeros(16)
    add_kernel[1](x, 16, value)
    assert (x == x[0]).all()
    return x[0].item()


# --- bounds --------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(variants, "LIMIT", 40)
    return 40


@pytest.mark.usefixtures("evaluated")
def test_many_constexprs_warn_once_and_stay_bounded(small: int) -> None:
    @mytriton.jit
    def kernel(x, VALUE: tl.constexpr):
        tl.store(x, VALUE)

    x = torch.zeros(1)
    kept = kernel[1](x, 0)
    gone: list[Any] = []
    with pytest.warns(RuntimeWarning, match="kernel kernel: compiled for 40 different") as caught:
        for i in range(1, 4 * small):
            gone.append(weakref.ref(kernel[1](x, i)._artifact))
            assert x.item() == i
            assert kernel[1](x, 0) is kept  # what is used stays, though C alone sees the uses
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "make it a run-time argument" in str(caught[0].message)
    del kept
    gc.collect()
    assert sum(each() is not None for each in gone) <= small


@pytest.mark.usefixtures("evaluated")
def test_a_global_that_keeps_changing_warns_once_and_stays_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @mytriton.jit
    def kernel(x):
        tl.store(x, FACTOR)

    x = torch.zeros(1)
    gone: list[Any] = []
    with pytest.warns(RuntimeWarning, match="16 times, as what it reads changed: 'FACTOR'") as all:
        for i in range(40):
            monkeypatch.setitem(globals(), "FACTOR", float(i))
            gone.append(weakref.ref(kernel[1](x)._artifact))
            assert x.item() == i
    assert len(all) == 1
    gc.collect()
    assert sum(each() is not None for each in gone) <= variants.VARIANTS


@pytest.mark.usefixtures("evaluated")
def test_objects_as_constexprs_are_kept_while_their_address_is_a_key() -> None:
    @mytriton.jit
    def kernel(x, TYPE: tl.constexpr):
        tl.store(x, TYPE.element_ty.primitive_bitwidth)

    x = torch.zeros(1)
    for _ in range(50):
        for element in (tl.int8, tl.float64):  # objects that come and go, at the same addresses
            kernel[1](x, tl.pointer_type(element))
            assert x.item() == element.primitive_bitwidth


@pytest.mark.usefixtures("evaluated")
def test_what_a_kernel_read_is_freed_with_it() -> None:
    class Owner:
        def __init__(self) -> None:
            self.value = 2.0
            self.kernel: Any = None

        def scaled(self, a: Any) -> Any:
            return a * self.value

    def make() -> weakref.ref[Owner]:
        owner = Owner()
        method = owner.scaled

        @mytriton.jit
        def kernel(x):
            tl.store(x, method(tl.load(x)))

        owner.kernel = kernel
        x = torch.ones(1)
        kernel[1](x)
        kernel[1](x)
        assert x.item() == 4
        return weakref.ref(owner)

    gone = make()
    gc.collect()
    assert gone() is None


def test_reference_counts_of_what_is_checked() -> None:
    values = [float("2.5"), float("3.5")]
    names: dict[str, Any] = {"tl": tl, "VALUE": values[0], "__name__": "made"}
    exec("def kernel(x):\n    tl.store(x, VALUE)", names)
    kernel = mytriton.jit(names["kernel"])
    x = torch.zeros(1)

    def toggle() -> None:
        for value in values:
            names["VALUE"] = value
            for _ in range(3):
                kernel[1](x)
                assert x.item() == value

    toggle()
    before = [sys.getrefcount(each) for each in (*values, names, kernel)]
    for _ in range(300):
        toggle()
    after = [sys.getrefcount(each) for each in (*values, names, kernel)]
    assert after == before


# --- threads -------------------------------------------------------------------------------------


@pytest.fixture
def compiler_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that gets a line for each run of the host compiler; what it compiles is not kept."""
    monkeypatch.setenv("MYTRITON_CACHE_DIR", "0")
    log, script = tmp_path / "runs", tmp_path / "cxx"
    log.touch()
    script.write_text(
        f'#!/bin/sh\necho run >> {log}\nexec {mytriton._C.find_host_compiler()} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    yield log


def test_16_threads_at_a_first_launch_trace_and_compile_once(compiler_runs: Path) -> None:
    seed = time.time()  # a text that was never compiled before
    TRACED.clear()

    @mytriton.jit
    def kernel(x, n):
        note(1)
        tl.store(x + tl.arange(0, 16), tl.load(x + tl.arange(0, 16)) + n * seed)

    start = threading.Barrier(16)

    def work(_: int) -> Any:
        x = torch.zeros(16)
        start.wait()
        compiled = kernel[1](x, 1.0)
        assert (x == torch.tensor(seed)).all()
        return compiled

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(work, range(16)))) == 1
    assert TRACED == [1]
    assert compiler_runs.read_text() == "run\n"


@pytest.mark.usefixtures("evaluated")
def test_threads_that_launch_while_globals_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each launch runs with some value that the global had; none is lost or mixed up."""
    stop = threading.Event()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def work(i: int) -> None:
        try:
            for k in range(400):
                assert added(i + k % 3) in {(i + k % 3) * each for each in (1.0, 2.0, 3.0)}
        finally:
            stop.set()

    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            running = [pool.submit(work, i) for i in range(8)]
            while not stop.is_set():
                for value in (1.0, 2.0, 3.0):
                    monkeypatch.setitem(globals(), "FACTOR", value)
                    time.sleep(0)
            for each in running:
                each.result()
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.usefixtures("evaluated")
def test_an_error_while_others_wait_is_everyones() -> None:
    start = threading.Barrier(8)

    @mytriton.jit
    def kernel(x):
        time.sleep(0.01)
        tl.store(x, undefined)  # noqa: F821

    def work(_: int) -> str:
        start.wait()
        with pytest.raises(mytriton.CompileError, match="'undefined' is not defined") as caught:
            kernel[1](torch.zeros(1))
        return str(caught.value)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(work, range(8)))) == 1


# --- processes -----------------------------------------------------------------------------------


def in_child(kernel: Any, value: float) -> tuple[bool, float]:
    os.environ["MYTRITON_EVALUATE"] = "1"
    x = torch.zeros(16)
    kernel[1](x, 16, value)
    return kernel is add_kernel, x[0].item()


@pytest.mark.usefixtures("evaluated")
@pytest.mark.parametrize(("method", "count"), [("fork", 4), ("spawn", 2)])  # to spawn takes 2 s
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_kernels_in_other_processes(method: str, count: int) -> None:
    assert added(2.0) == 2  # known to forked children
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(count, mp_context=context) as pool:
        results = pool.map(in_child, [add_kernel] * 8, [2.0, 3.0] * 4)
        assert list(results) == [(True, 2.0), (True, 3.0)] * 4
    assert added(2.0) == 2


@pytest.mark.usefixtures("evaluated")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_while_another_thread_compiles() -> None:
    tracing, go_on = threading.Event(), threading.Event()

    # Events are no values that a kernel may read; their methods are.
    names = {"wait": go_on.wait, "begun": tracing.set, "tl": tl, "__name__": "made"}
    exec("def slow(x):\n    begun()\n    wait(10)\n    tl.store(x, 3.0)", names)
    slow = mytriton.jit(names["slow"])
    thread = threading.Thread(target=lambda: slow[1](torch.zeros(1)))
    thread.start()
    assert tracing.wait(10)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            x = torch.zeros(1)
            go_on.set()
            slow[1](x)
            status = int(x.item())
        finally:
            os._exit(status)
    go_on.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3


def test_a_pickled_kernel_sees_later_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")
    again = pickle.loads(pickle.dumps(add_kernel))
    assert again is add_kernel
    assert added(5.0) == 5
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    assert added(5.0) == 10


def test_variants_lists_what_is_kept() -> None:
    @mytriton.jit
    def kernel(x, K: tl.constexpr):
        tl.store(x, K)

    assert kernel.variants == []
    x = torch.zeros(1)
    compiled = [kernel[1](x, k) for k in (1, 2, 3)]
    kernel[1](x, 2)
    assert len(kernel.variants) == 3 and set(kernel.variants) == set(compiled)
    kernel.clear_cache()
    assert kernel.variants == []
