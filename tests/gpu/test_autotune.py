"""Autotuning measures on the device, keeps what it found, and leaves tensors as they were."""

from pathlib import Path
from typing import Any

import pytest
import torch

import mytriton
import mytriton.language as tl
from gpu.machine import Gpu
from mytriton.testing import do_bench

CONFIGS = [
    mytriton.Config({"BLOCK": block}, num_warps=warps)
    for block, warps in ((128, 4), (1024, 4), (2048, 8))
]


def tuned(**options: Any) -> Any:
    @mytriton.autotune(CONFIGS, key=["n"], restore_value=["x"], **options)
    @mytriton.jit
    def add_one(x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + at, tl.load(x + at, mask=at < n) + 1.0, mask=at < n)

    return add_one


def grid(meta: dict[str, Any]) -> tuple[int]:
    return (mytriton.cdiv(meta["n"], meta["BLOCK"]),)


def test_each_config_is_timed_and_the_tensor_restored(gpu: Gpu) -> None:
    kernel = tuned(warmup=1, rep=3)
    x = torch.zeros(100_000, device=gpu.device)
    kernel[grid](x, x.numel())
    assert (x == 1).all()
    assert kernel.configs_timings.keys() == set(CONFIGS)
    assert all(min(times) > 0 for times in kernel.configs_timings.values())
    kernel[grid](x, x.numel())
    assert (x == 2).all()


def test_what_was_found_is_kept_for_other_processes(
    gpu: Gpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "cache"))
    x = torch.zeros(5000, device=gpu.device)
    tuned(warmup=1, rep=3, cache_results=True)[grid](x, 5000)
    kernel = tuned(warmup=1, rep=3, cache_results=True)
    kernel[grid](x, 5000)
    assert (x == 2).all() and len(list((tmp_path / "cache").glob("autotune_*"))) == 1


def test_a_tuned_kernel_is_captured(gpu: Gpu) -> None:
    kernel = tuned(warmup=1, rep=3)
    x = torch.zeros(4096, device=gpu.device)
    kernel[grid](x, 4096)
    replay = gpu.capture(lambda: kernel[grid](x, 4096))
    x.zero_()
    replay()
    assert (x == 1).all()


def test_do_bench_times_the_device(gpu: Gpu) -> None:
    x = torch.zeros(1000, device=gpu.device)
    quick = do_bench(lambda: x.add_(1), warmup=1, rep=5, return_mode="median")
    assert quick > 0
    if gpu.is_real:
        slow = do_bench(gpu.sleep, warmup=1, rep=60, return_mode="median")
        assert slow > 10 and slow > 10 * quick
