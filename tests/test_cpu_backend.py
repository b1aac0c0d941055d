"""Launches on CPU tensors: the host compiler, or none; threads, forks and what is left behind."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from kernels import softmax_kernel

import mytriton
import mytriton.language as tl
from mytriton import _C

unused = itertools.count(1)


@mytriton.jit
def shift_kernel(x, n, by: tl.constexpr, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offs, tl.load(x + offs, mask=offs < n) + by, mask=offs < n)


@mytriton.jit
def row_sum_kernel(x, out, columns, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    values = tl.load(x + row * columns + offs, mask=offs < columns, other=0.0)
    tl.store(out + row, tl.sum(values, axis=0))


def launch_new(x: torch.Tensor) -> float:
    """Launches a kernel that has to be compiled; what it adds to each element."""
    by = float(next(unused))
    shift_kernel[2](x, x.numel(), by)
    return by


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """$CXX: a compiler that notes its arguments, a line each, in a file of this name. What it has
    compiled is not kept."""
    monkeypatch.setenv("MYTRITON_CACHE_DIR", "0")
    real = _C.find_host_compiler()
    assert real
    notes = tmp_path / "notes"
    script = tmp_path / "my c++"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {notes}\nexec {real} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    return notes


def python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    names = ("HOME", "LD_LIBRARY_PATH", "MYTRITON_CACHE_DIR")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", script],
        env=kept | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


# --- which compiler ------------------------------------------------------------------------------

TWO_KERNELS = """
import torch
from test_cpu_backend import launch_new
x = torch.zeros(200)
total = launch_new(x) + launch_new(x)
assert torch.equal(x, torch.full((200,), total)), x
"""


def test_no_compiler_is_one_warning_and_the_evaluator() -> None:
    run = python(TWO_KERNELS, PATH="")
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("RuntimeWarning") == 1
    assert "no C++ compiler found ($CXX, c++, g++, clang++)" in run.stderr
    assert run.stderr.count("evaluator") == 1


def test_a_required_compiler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.zeros(200)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("MYTRITON_REQUIRE_COMPILER", "1")
    assert _C.find_host_compiler() is None
    with pytest.raises(RuntimeError, match=r"no C\+\+ compiler found \(\$CXX, c\+\+, g\+\+, cla"):
        launch_new(x)
    assert not x.any()


def test_what_a_failing_compiler_says_is_shown(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "broken"
    script.write_text("#!/bin/sh\necho no space left\necho on this device >&2\nexit 3\n")
    script.chmod(0o755)
    x = torch.zeros(200)
    with monkeypatch.context() as patch:
        patch.setenv("CXX", str(script))
        for _ in range(2):
            with pytest.raises(RuntimeError, match=r"broken failed:\nno space left\non this devi"):
                shift_kernel[2](x, 200, -1.0)
        patch.setenv("CXX", "/bin/false")
        with pytest.raises(RuntimeError, match="/bin/false failed"):
            shift_kernel[2](x, 200, -1.0)
    assert not x.any()
    assert list(temporary.iterdir()) == []
    shift_kernel[2](x, 200, -1.0)  # with the real one
    assert torch.equal(x, torch.full((200,), -1.0))


def test_the_chosen_compiler_is_used_and_leaves_nothing(compiler: Path, temporary: Path) -> None:
    x = torch.zeros(200)
    by = launch_new(x)
    assert torch.equal(x, torch.full((200,), by))
    arguments = compiler.read_text().splitlines()
    assert arguments[arguments.index("-o") + 1].startswith(f"{temporary}/mytriton-")
    assert list(temporary.iterdir()) == []
    # + - * / keep their IEEE meaning.
    assert "-ffp-contract=off" in arguments
    assert not {"-ffast-math", "-Ofast", "-funsafe-math-optimizations"} & set(arguments)


def test_a_text_is_compiled_once(compiler: Path) -> None:
    x = torch.zeros(200)
    by = launch_new(x)
    compiler.unlink()
    shift_kernel.clear_cache()
    shift_kernel[2](x, 200, by)
    assert torch.equal(x, torch.full((200,), 2 * by))
    assert not compiler.exists()


def test_a_name_in_cxx_is_looked_up(compiler: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, name = os.path.split(os.environ["CXX"])
    monkeypatch.setenv("PATH", folder, prepend=os.pathsep)
    monkeypatch.setenv("CXX", name)
    assert _C.find_host_compiler() == os.path.join(folder, name)
    launch_new(torch.zeros(200))
    assert compiler.exists()
    monkeypatch.setenv("CXX", "")
    assert _C.find_host_compiler() == shutil.which("c++")


def test_a_folder_for_temporary_files_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.zeros(200)
    monkeypatch.setenv("TMPDIR", "/nowhere/at/all")
    with pytest.raises(RuntimeError, match="/nowhere/at/all"):
        launch_new(x)
    assert not x.any()


# --- threads and processes -----------------------------------------------------------------------


@pytest.fixture
def threads() -> Iterator[list[int]]:
    """Numbers of threads to try; afterwards it is as before."""
    before = torch.get_num_threads()
    yield [1, 2, 3, 7]
    torch.set_num_threads(before)


def test_results_do_not_depend_on_the_number_of_threads(threads: list[int]) -> None:
    rows, columns = 2001, 1000
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(0)) * 100
    sums, softmaxes = [], []
    for count in threads * 2:
        torch.set_num_threads(count)
        sums.append(torch.full((rows + 1,), -1.0))
        softmaxes.append(torch.empty_like(x))
        row_sum_kernel[rows](x, sums[-1], columns, BLOCK=1024)
        softmax_kernel[rows](x, softmaxes[-1], columns, columns, BLOCK=1024)
    torch.testing.assert_close(sums[0][:-1], x.sum(1), atol=0.01, rtol=1e-5)
    torch.testing.assert_close(softmaxes[0], x.softmax(1))
    for other_sum, other_softmax in zip(sums, softmaxes, strict=True):
        assert torch.equal(other_sum, sums[0])
        assert torch.equal(other_softmax, softmaxes[0])
    assert sums[0][-1] == -1


def test_every_program_runs_once(threads: list[int]) -> None:
    @mytriton.jit
    def kernel(out):
        at = tl.program_id(0) + tl.num_programs(0) * (
            tl.program_id(1) + tl.num_programs(1) * tl.program_id(2)
        )
        tl.store(out + at, tl.load(out + at) + 1)

    for count in threads:
        torch.set_num_threads(count)
        for grid in ((1, 1, 1), (5, 7, 11), (500_009, 1, 1), (3, 1, 100_003), (1, 250_007, 2)):
            out = torch.zeros(grid[0] * grid[1] * grid[2] + 1, dtype=torch.int32)
            kernel[grid](out)
            assert (out[:-1] == 1).all() and out[-1] == 0


FORK = """
import os, torch
from test_cpu_backend import launch_new, shift_kernel
torch.set_num_threads(5)  # more than any library has started by itself
big, small = torch.empty(3_000_000), torch.zeros(200)
threads = len(os.listdir("/proc/self/task"))
shift_kernel[30_000](big, big.numel(), 0.5)
assert len(os.listdir("/proc/self/task")) > threads, "run by one thread only"
big.zero_()
child = os.fork()
if child == 0:
    shift_kernel[2](small, 200, 0.5)  # compiled before the fork
    by = launch_new(small)  # and after it
    os._exit(0 if torch.equal(small, torch.full((200,), 0.5 + by)) else 1)
assert os.waitpid(child, 0)[1] == 0
shift_kernel[30_000](big, big.numel(), 0.5)
assert (big == 0.5).all() and not small.any()
"""


def test_large_launches_use_threads_and_small_ones_work_after_a_fork() -> None:
    # A large one after a fork waits for threads that are not there, as torch's own ops do.
    run = python(FORK, PATH=os.environ["PATH"])
    assert run.returncode == 0, run.stderr
