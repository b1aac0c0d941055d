"""Fair timing of kernels beside their peers; what ``triton.testing`` has for tests."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from mytriton.perf_report import Benchmark, Mark, perf_report

__all__ = ["Benchmark", "Mark", "assert_close", "compare", "do_bench", "perf_report"]

# What is overwritten between runs, to leave nothing of the inputs in caches: more than a GPU's L2,
# and than the share of a CPU's last level that a run can count on.
_CUDA_CACHE_BYTES = 256 << 20
_CPU_CACHE_BYTES = 64 << 20


def _synchronize() -> None:
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _seconds(run: Callable[[], Any], calls: int) -> float:
    _synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        run()
    _synchronize()
    return (time.perf_counter() - start) / calls


def compare(
    candidates: Mapping[str, Callable[[], Any]], seconds: float = 0.5, rounds: int = 15
) -> dict[str, float]:
    """Median seconds a call of each candidate, from rounds in which all take turns.

    Taking turns makes ratios hold where times do not: a slow moment of the machine slows all.
    `seconds` is about how long each candidate runs in total; each is called once to warm up.
    """
    calls = {}
    for name, run in candidates.items():
        run()
        once = max(_seconds(run, 1), 1e-7)
        calls[name] = max(1, int(seconds / rounds / once))
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            times[name].append(_seconds(run, calls[name]))
    return {name: statistics.median(each) for name, each in times.items()}


def _on_cuda() -> bool:
    return torch.cuda.is_available() and torch.cuda.is_initialized()


def _timed_runs(run: Callable[[], Any], prepare: Callable[[], Any], count: int) -> list[float]:
    """Milliseconds of each of `count` runs, each after `prepare`, whose time does not count."""
    if not _on_cuda():
        times = []
        for _ in range(count):
            prepare()
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1e3)
        return times
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    for start_event, end_event in events:
        prepare()
        start_event.record()
        run()
        end_event.record()
    torch.cuda.synchronize()
    return [float(start_event.elapsed_time(end_event)) for start_event, end_event in events]


def _quantile(ordered: list[float], q: float) -> float:
    """Linear between the two nearest ranks."""
    if not 0 <= q <= 1:
        raise ValueError(f"do_bench: quantiles must be from 0 to 1, got {q}")
    rank = q * (len(ordered) - 1)
    below = int(rank)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (rank - below) * (ordered[above] - ordered[below])


_SUMMARIES: dict[str, Callable[[list[float]], Any]] = {
    "min": min,
    "max": max,
    "mean": statistics.fmean,
    "median": statistics.median,
    "all": list,
}


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[torch.Tensor] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Milliseconds that a call of `fn` takes, as ``triton.testing.do_bench``.

    `fn` runs for about `warmup` ms untimed, then for about `rep` ms. Before each timed run the
    ``grad`` of the tensors `grad_to_none` is dropped and caches are overwritten, so that `fn` finds
    its inputs in memory. On CUDA - where `fn` has started it - events measure the GPU's time, on
    the CPU the clock.

    Returns the "mean", "median", "min" or "max" of the runs, or a list of "all"; where `quantiles`
    are given, these (the only one as a number). ``compare`` is the better way to compare.
    """
    if return_mode not in _SUMMARIES:
        expected = ", ".join(_SUMMARIES)
        raise ValueError(f"do_bench: return_mode must be one of {expected}; got {return_mode!r}")
    for q in quantiles or ():
        _quantile([0.0], q)
    fn()
    _synchronize()
    gradients = list(grad_to_none or ())
    if _on_cuda():
        cache = torch.empty(_CUDA_CACHE_BYTES, dtype=torch.int8, device="cuda")
    else:
        cache = torch.empty(_CPU_CACHE_BYTES, dtype=torch.int8)

    def prepare() -> None:
        for each in gradients:
            each.grad = None
        cache.zero_()

    def run_cold() -> None:
        prepare()
        fn()

    estimate = max(_seconds(run_cold, 3) * 1e3, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = _timed_runs(fn, prepare, max(1, int(rep / estimate)))
    if quantiles is None:
        return _SUMMARIES[return_mode](times)
    found = [_quantile(sorted(times), q) for q in quantiles]
    return found[0] if len(found) == 1 else found


def _for_comparison(value: Any) -> torch.Tensor:
    values: torch.Tensor = torch.as_tensor(value).detach().cpu()
    return values.double() if values.is_floating_point() else values


def assert_close(
    x: Any,
    y: Any,
    atol: float | Callable[[torch.dtype], float] | None = None,
    rtol: float | Callable[[torch.dtype], float] | None = None,
    err_msg: str = "",
) -> None:
    """AssertionError unless ``|x - y| <= atol + rtol * |y|`` everywhere; NaNs equal NaNs.

    Tensors, arrays or numbers, of one shape. `atol` is 0.01 by default and `rtol` 0; a function
    gets the dtype of `x`.
    """
    dtype = torch.as_tensor(x).dtype
    absolute = 1e-2 if atol is None else atol(dtype) if callable(atol) else atol
    relative = 0.0 if rtol is None else rtol(dtype) if callable(rtol) else rtol
    torch.testing.assert_close(
        _for_comparison(x),
        _for_comparison(y),
        atol=absolute,
        rtol=relative,
        equal_nan=True,
        check_dtype=False,
        msg=(lambda message: f"{err_msg}\n{message}") if err_msg else None,
    )
