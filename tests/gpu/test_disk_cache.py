"""Machine code of the device is kept on disk, and found by later processes."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu.machine import Gpu, run_python

LAUNCH = """
import sys
import torch
from kernels import softmax_kernel
x = torch.randn(8, 300, device=sys.argv[1])
out = torch.empty_like(x)
softmax_kernel[(8,)](x, out, 300, 300, BLOCK=512)
torch.testing.assert_close(out, torch.softmax(x, 1))
"""


def launch(gpu: Gpu, folder: Path) -> None:
    done = run_python(LAUNCH, gpu.device, MYTRITON_CACHE_DIR=str(folder))
    assert done.returncode == 0 and "mytriton" not in done.stderr, done.stderr


def kept(folder: Path) -> dict[Path, int]:
    """Files with their times of writing."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_later_process_compiles_nothing(gpu: Gpu, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    launch(gpu, folder)
    before = {path: path.read_bytes() for path in kept(folder)}
    assert before
    launch(gpu, folder)
    assert {path: path.read_bytes() for path in kept(folder)} == before
    listing = "from mytriton import cache; cache.main(['list'])"
    found = run_python(listing, MYTRITON_CACHE_DIR=str(folder)).stdout
    assert re.search(r"\b(cuda|cpu) +softmax_kernel", found), found
    assert not gpu.is_real or re.search(r"cuda +softmax_kernel +sm_\d+", found), found


def test_what_is_damaged_is_compiled_again(gpu: Gpu, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    launch(gpu, folder)
    for path in kept(folder):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
    done = run_python(LAUNCH, gpu.device, MYTRITON_CACHE_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    launch(gpu, folder)


def test_processes_that_start_at_once(gpu: Gpu, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: launch(gpu, folder), range(4)))
