"""Fair timing of kernels beside their peers."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import torch


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
