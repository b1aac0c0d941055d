"""Lanes that are masked off, or past the width of a block, touch nothing: beside the tensors lie
pages that may not be read or written.

Checks run in a process of their own. One that dies fails the test at hand; the next gets another.
"""

import ctypes
import mmap
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import engines
import pytest
import torch

import mytriton
import mytriton.language as tl

pytestmark = pytest.mark.on_host("pages that may not be touched, nor copied")
UNSIGNED = [torch.uint8, torch.uint16, torch.uint32, torch.uint64]
SIGNED = [torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
EVERY_TYPE = [torch.bool, *SIGNED, *UNSIGNED, *FLOATS]
WIDE_INTS = [torch.int32, torch.uint32, torch.int64, torch.uint64]
COUNTS = (1, 15, 16, 17, 31, 33, 100, 128)
BLOCK = 128


class GuardedPage:
    """A page of memory between two that may not be touched, all of its bytes 1."""

    def __init__(self) -> None:
        page = mmap.PAGESIZE
        self._memory = mmap.mmap(-1, 3 * page)
        self.middle = torch.frombuffer(self._memory, dtype=torch.uint8)[page : 2 * page]
        self.middle.fill_(1)
        libc = ctypes.CDLL(None, use_errno=True)
        for address in (self.middle.data_ptr() - page, self.middle.data_ptr() + page):
            status = libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(page), 0)
            assert status == 0, ctypes.get_errno()

    def tensor(self, dtype: torch.dtype, count: int, at_end: bool) -> torch.Tensor:
        """The last elements of the page, or the first ones."""
        return _part(self.middle, dtype, count, at_end)

    def assert_holds(self, values: torch.Tensor, at_end: bool) -> None:
        """These values, and nothing else has been written."""
        expected = torch.ones(mmap.PAGESIZE, dtype=torch.uint8)
        _part(expected, values.dtype, len(values), at_end).copy_(values)
        assert torch.equal(self.middle, expected)
        self.middle.fill_(1)


def _part(page: torch.Tensor, dtype: torch.dtype, count: int, at_end: bool) -> torch.Tensor:
    elements = page.view(dtype)
    return elements[len(elements) - count :] if at_end else elements[:count]


def _places() -> Iterator[tuple[int, bool]]:
    for count in COUNTS:
        yield count, False
        yield count, True


def _values(count: int, dtype: torch.dtype) -> torch.Tensor:
    return (torch.arange(count) % 3).to(dtype)


# --- loads and stores ----------------------------------------------------------------------------


@mytriton.jit
def prefix_kernel(x, out, n, BLOCK: tl.constexpr):
    """The usual form: the mask is `lane < n`, and all of the second program is masked off."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + lane, tl.load(x + lane, mask=lane < n), mask=lane < n)


@mytriton.jit
def window_kernel(x, ahead, back, by_index, gathered, far, index, n, first, BLOCK: tl.constexpr):
    """Lanes from `first` on, of which 0 to n - 1 exist: in order, backwards, by an index that is
    computed, and by one that is loaded, whose lanes masked off point next to the tensors."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    lane = at + first
    on = (lane >= 0) & (lane < n)
    tl.store(ahead + lane, tl.load(x + lane, mask=on), mask=on)
    tl.store(back + (n - 1 - lane), tl.load(x + (n - 1 - lane), mask=on), mask=on)
    tl.store(by_index + lane * 1, tl.load(x + (lane + 0 * n), mask=on, other=1), mask=on)
    where = tl.load(index + at)
    tl.store(gathered + where, tl.load(x + where, mask=on, other=1), mask=on)
    tl.store(far + lane, tl.load(x + where, mask=on), mask=on)
    tl.store(x + 1000, tl.load(x - 1000, mask=n < 0), mask=n < 0)  # one address, and that is off


@mytriton.jit
def whole_kernel(x, ahead, back, by_index, WIDTH: tl.constexpr):
    """No masks: the block is as long as the tensors, whatever the strips that it is cut into."""
    lane = tl.arange(0, WIDTH)
    tl.store(ahead + lane, tl.load(x + lane))
    tl.store(back + (WIDTH - 1 - lane), tl.load(x + (WIDTH - 1 - lane)))
    tl.store(by_index + (lane ^ 0), tl.load(x + (lane | 0)))


def _neighbours(n: int, first: int, at_end: bool) -> torch.Tensor:
    """Lanes 0 to n - 1 in some order, at their places; all others lie beyond the guarded side."""
    lane = torch.arange(3 * BLOCK) + first
    off = n + (lane % 100) if at_end else -1 - (lane % 100)
    return torch.where((lane >= 0) & (lane < n), n - 1 - lane, off).int()


def check_loads_and_stores(engine: Callable[..., Any], dtype: torch.dtype) -> None:
    source, pages = GuardedPage(), [GuardedPage() for _ in range(5)]
    for n, at_end in _places():
        values = _values(n, dtype)
        x = source.tensor(dtype, n, at_end)
        x.copy_(values)
        outs = [page.tensor(dtype, n, at_end) for page in pages]
        engine(prefix_kernel)[2](x, outs[0], n, BLOCK=BLOCK)
        pages[0].assert_holds(values, at_end)
        index = _neighbours(n, -BLOCK, at_end)
        engine(window_kernel)[3](x, *outs, index, n, -BLOCK, BLOCK=BLOCK)
        for page in pages[:4]:
            page.assert_holds(values, at_end)
        pages[4].assert_holds(values.double().flip(0).to(dtype), at_end)
        source.assert_holds(values, at_end)


def check_widths(engine: Callable[..., Any], dtype: torch.dtype) -> None:
    source, pages = GuardedPage(), [GuardedPage() for _ in range(3)]
    for width in (7, 100):
        for at_end in (False, True):
            values = _values(width, dtype)
            x = source.tensor(dtype, width, at_end)
            x.copy_(values)
            outs = [page.tensor(dtype, width, at_end) for page in pages]
            engine(whole_kernel)[1](x, *outs, WIDTH=width)
            for page in (source, *pages):
                page.assert_holds(values, at_end)


# --- atomics -------------------------------------------------------------------------------------


@mytriton.jit
def atomics_kernel(
    x, gathered, index, olds, n, first, value, OP: tl.constexpr, BLOCK: tl.constexpr
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    lane = at + first
    on = (lane >= 0) & (lane < n)
    tl.store(olds + lane, OP(x + lane, value, mask=on), mask=on)
    OP(gathered + tl.load(index + at), 4, mask=on)
    OP(x + 1000, value, mask=n < 0)


@mytriton.jit
def cas_kernel(x, WIDTH: tl.constexpr):
    tl.atomic_cas(x + tl.arange(0, WIDTH), 1, 4)


OPS = {"add": tl.atomic_add, "xchg": tl.atomic_xchg, "and": tl.atomic_and}


def check_atomics(engine: Callable[..., Any], dtype: torch.dtype, op: str) -> None:
    pages = [GuardedPage() for _ in range(3)]
    for n, at_end in _places():
        values = _values(n, dtype)
        x, gathered, olds = (page.tensor(dtype, n, at_end) for page in pages)
        x.copy_(values)
        gathered.copy_(values)
        index = _neighbours(n, -BLOCK, at_end)
        engine(atomics_kernel)[3](x, gathered, index, olds, n, -BLOCK, 4, OP=OPS[op], BLOCK=BLOCK)
        four = torch.full((n,), 4)
        results = {"add": values.long() + 4, "xchg": four, "and": values.long() & 4}
        for page, expected in zip(pages, [results[op], results[op], values], strict=True):
            page.assert_holds(expected.to(dtype), at_end)


def check_compare_and_swap(engine: Callable[..., Any], dtype: torch.dtype) -> None:
    page = GuardedPage()
    for width in (7, 17):
        for at_end in (False, True):
            values = _values(width, dtype)
            page.tensor(dtype, width, at_end).copy_(values)
            engine(cas_kernel)[1](page.tensor(dtype, width, at_end), WIDTH=width)
            page.assert_holds(torch.where(values == 1, 4, values.long()).to(dtype), at_end)


# --- the process that they run in ----------------------------------------------------------------


def _run(check: str, engine: str, *args: Any) -> None:
    globals()[check](getattr(engines, engine), *args)


class Process:
    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def run(self, check: Callable[..., None], engine: Callable[..., Any], *args: Any) -> None:
        if self._pool is None:
            spawn = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(max_workers=1, mp_context=spawn)
        try:
            self._pool.submit(_run, check.__name__, engine.__name__, *args).result()
        except BrokenProcessPool:
            self.end()
            pytest.fail("the process died: memory was touched that may not be")

    def end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = None


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    made = Process()
    yield made
    made.end()


def names(value: object) -> str:
    return str(value).removeprefix("torch.")


def touch_a_guard(_: Callable[..., Any]) -> None:
    page = GuardedPage()
    ctypes.string_at(page.middle.data_ptr() + mmap.PAGESIZE, 1)


def test_touching_a_guard_fails_one_test(process: Process) -> None:
    with pytest.raises(pytest.fail.Exception, match="the process died"):
        process.run(touch_a_guard, engines.compiled)


@engines.both
@pytest.mark.parametrize("dtype", EVERY_TYPE, ids=names)
def test_masked_lanes_touch_no_memory(process: Process, engine, dtype: torch.dtype) -> None:
    process.run(check_loads_and_stores, engine, dtype)


@engines.both
@pytest.mark.parametrize("dtype", EVERY_TYPE, ids=names)
def test_lanes_past_the_width_touch_no_memory(process: Process, engine, dtype: torch.dtype) -> None:
    process.run(check_widths, engine, dtype)


@engines.both
@pytest.mark.parametrize(
    ("op", "dtype"),
    [
        *(("add", dtype) for dtype in (*WIDE_INTS, *FLOATS)),
        *(("xchg", dtype) for dtype in (*WIDE_INTS, torch.float32, torch.float64)),
        *(("and", dtype) for dtype in WIDE_INTS),
    ],
    ids=names,
)
def test_masked_atomics_touch_no_memory(
    process: Process, engine, op: str, dtype: torch.dtype
) -> None:
    process.run(check_atomics, engine, dtype, op)


@engines.both
@pytest.mark.parametrize("dtype", [torch.int16, *WIDE_INTS, *FLOATS], ids=names)
def test_compare_and_swap_touches_its_lanes_only(
    process: Process, engine, dtype: torch.dtype
) -> None:
    process.run(check_compare_and_swap, engine, dtype)
