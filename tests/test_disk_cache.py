"""Kernels that later processes find on disk: what is compiled again, what is said, what is run."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
import torch
from forked import Forked
from kernels import add_kernel

from mytriton import _C, cache

TESTS = Path(__file__).parent
ADD = """
import torch
from kernels import add_kernel
x = torch.arange(1000.0)
out = torch.empty_like(x)
add_kernel[4](x, x, out, 1000, BLOCK=256)
assert torch.equal(out, 2 * x), out
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache's, for this process and those it starts."""
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def make_compiler(path: Path, version: str = "", options: str = "") -> Path:
    """A compiler at `path`; the file that gets a line for each of its compiles."""
    log = path.with_suffix(".log")
    log.touch()
    say = f"echo '{version}'; exit 0" if version else ":"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *--version*) {say};; *) echo run >> "{log}";; esac\n'
        f'exec {shutil.which("c++")} {options} "$@"\n'
    )
    path.chmod(0o755)
    return log


@pytest.fixture
def compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many kernels $CXX has compiled, in all processes."""
    log = make_compiler(tmp_path / "c++")
    monkeypatch.setenv("CXX", str(tmp_path / "c++"))
    return lambda: len(log.read_text().splitlines())


def run(script: str = ADD) -> str:
    """What it wrote to standard error."""
    status, errors = Forked(script).finish()
    assert status == 0, errors
    return errors


def launch(block: int) -> None:
    """With a `block` that this process has not had, this looks for the kernel on disk."""
    x = torch.arange(1000.0)
    out = torch.empty_like(x)
    add_kernel[4](x, x, out, 1000, BLOCK=block)
    assert torch.equal(out, 2 * x)


def forge(path: Path, old: bytes, new: bytes) -> None:
    """Changes a file of the cache so that its checksum holds."""
    magic, _, body = path.read_bytes().split(b"\n", 2)
    assert body.count(old) == 1 and len(old) == len(new)
    body = body.replace(old, new)
    path.write_bytes(b"\n".join([magic, hashlib.sha256(body).hexdigest().encode(), body]))


def test_the_version_is_the_packages() -> None:
    assert _C.disk_cache_version() == metadata.version("mytriton")


def test_a_second_process_compiles_nothing(folder: Path, compiles: Callable[[], int]) -> None:
    launch(3001)
    assert compiles() == 1
    script = ADD.replace("256", "3001")
    done = subprocess.run(  # the other tests fork
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": ":".join([str(TESTS), *sys.path])},
        stderr=subprocess.PIPE,
        text=True,
        timeout=200,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert run(script) == ""
    assert compiles() == 1
    assert [each.kernel for each in cache.entries()] == ["add_kernel"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_off_means_off(
    tmp_path: Path, compiles: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    launch(3002)
    assert run(ADD.replace("256", "3002")) == ""
    assert compiles() == 2
    assert not (tmp_path / "home").exists()
    assert cache.folder() is None and cache.entries() == [] and cache.clear() == 0


def test_eight_cold_processes(folder: Path, compiles: Callable[[], int]) -> None:
    processes = [Forked(ADD) for _ in range(8)]
    for process in processes:
        assert process.finish() == (0, "")
    assert 1 <= compiles() <= 8
    assert [each.kind for each in cache.entries()] == ["cpu"]
    assert len(list(folder.iterdir())) == 1


def test_another_compiler_is_another_kernel(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cxx"
    monkeypatch.setenv("CXX", str(path))
    log = make_compiler(path, version="1.0")
    launch(3003)
    compilers = [("1.0", ""), ("1.1", ""), ("1.1", "-DX")]  # the last: the wrapper's text alone
    for i, (version, options) in enumerate(compilers):
        kept = path.stat()
        make_compiler(path, version, options)
        if i == 0:
            os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
        assert run(ADD.replace("256", "3003")) == ""
        assert log.read_text() == "run\n" * (i + 1)
    assert len(cache.entries()) == 3


def test_a_damaged_kernel_is_one_warning_and_made_again(
    folder: Path, compiles: Callable[[], int]
) -> None:
    launch(3004)
    [entry] = cache.entries()
    whole = entry.path.read_bytes()
    entry.path.write_bytes(whole[:-100] + bytes(100))
    errors = run(ADD.replace("256", "3004"))
    assert errors.count("RuntimeWarning") == 1
    assert f"is damaged, and is compiled again: {entry.path}" in errors
    assert compiles() == 2
    assert entry.path.read_bytes() == whole


def test_a_kernel_that_does_not_load_is_made_again(
    folder: Path, compiles: Callable[[], int]
) -> None:
    """As from a machine whose libraries are others."""
    launch(3005)
    [entry] = cache.entries()
    whole = entry.path.read_bytes()
    forge(entry.path, b"\x7fELF", b"\x7fELG")
    errors = run(ADD.replace("256", "3005"))
    assert errors.count("RuntimeWarning") == 1
    assert "cannot be loaded" in errors
    assert compiles() == 2
    assert entry.path.read_bytes() == whole


def test_warnings_come_once_and_launches_work(
    folder: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        launch(3011)
        launch(3012)
    assert [each.category for each in recwarn.list] == [RuntimeWarning]
    assert re.search(r"cache: others can write to it \(mode 0777\)", str(recwarn.list[0].message))
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", "/dev/null/cache")
    with pytest.warns(RuntimeWarning, match="/dev/null/cache cannot be made: Not a directory"):
        launch(3013)
    launch(3014)


def test_a_warning_that_is_an_error_loses_no_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", "/dev/null/error")
    with pytest.raises(RuntimeWarning, match="/dev/null/error cannot be made"):
        launch(3015)
    launch(3015)


def test_a_killed_process_leaves_nothing_that_harms(folder: Path, tmp_path: Path) -> None:
    endless = "import itertools\n" + ADD.replace(
        "add_kernel[4](x, x, out, 1000, BLOCK=256)",
        "for b in itertools.count(256): add_kernel[4](x, x, out, 1000, BLOCK=b)",
    )
    (tmp_path / "tmp").mkdir()  # where its compiler works
    for seconds in (0.0, 0.3):
        process = Forked(endless, os.environ | {"TMPDIR": str(tmp_path / "tmp")})
        before = len(cache.entries())
        while len(cache.entries()) < before + 2 and process.runs():
            time.sleep(0.02)
        time.sleep(seconds)
        process.kill()
        assert process.finish()[0] == -signal.SIGKILL
        assert run() == ""
    assert cache.clear() >= 4
    assert list(folder.iterdir()) == []


CUDA = """
from mytriton import _C
from test_disk_cache import CUDA_TEXT
print(len(_C.nvrtc_compile(CUDA_TEXT, "set_kernel", "sm_90a").split(b"Forged")))
"""
CUDA_TEXT = """extern "C" __global__ void set_kernel(float* x) {
    const char* words = "Unchanged";
    x[threadIdx.x] = words[threadIdx.x % 9];
}
"""


@pytest.mark.skipif(not _C.nvrtc_available(), reason="NVRTC is not installed")
def test_cubins_are_kept_for_each_architecture(folder: Path) -> None:
    images = {a: _C.nvrtc_compile(CUDA_TEXT, "set_kernel", a) for a in ("sm_80", "sm_90a")}
    found = {each.target: each for each in cache.entries()}
    assert found.keys() == images.keys()
    assert {(each.kind, each.kernel) for each in found.values()} == {("cuda", "set_kernel")}
    for arch, entry in found.items():
        assert entry.path.read_bytes().endswith(images[arch] + b"\n")
    # Another process takes what it finds there, unless that is damaged.
    path = found["sm_90a"].path
    whole = path.read_bytes()
    forge(path, b"Unchanged", b"Forged..!")
    assert run(CUDA.replace("print(", "assert 2 == (")) == ""
    path.write_bytes(whole.replace(b"Unchanged", b"Forged..!"))
    errors = run(CUDA.replace("print(", "assert 1 == ("))
    assert errors.count("RuntimeWarning") == 1 and "is damaged" in errors
    assert path.read_bytes() == whole


# --- python -m mytriton.cache --------------------------------------------------------------------


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mytriton.cache", *arguments], capture_output=True, text=True
    )


def test_the_command_lists_and_clears(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch(3006)
    launch(3007)
    (folder / "autotune_00.json").write_text("[]")
    (folder / "a file of somebody").write_text("")
    listed = command()
    assert (listed.returncode, listed.stderr) == (0, "")
    title, *rows, total = listed.stdout.splitlines()
    assert re.fullmatch(r"kind +kernel +target +bytes +last used", title)
    for row in rows:
        assert re.fullmatch(r"cpu +add_kernel +\S.* +\d+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", row)
    size = sum(each.size for each in cache.entries())
    assert len(rows) == 2 and total == f"2 kernels, {size} bytes"
    assert cache.main(["path"]) == 0
    assert cache.main(["--clear"]) == 0
    assert cache.main(["clear"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(folder),
        f"removed 2 kernels from {folder}",
        f"removed 0 kernels from {folder}",
    ]
    assert [each.name for each in folder.iterdir()] == ["a file of somebody"]


def test_the_command_says_why_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir(mode=0o700)
    folder.chmod(0o702)
    for action in ("list", "clear"):
        assert cache.main([action]) == 1
        assert "others can write to it (mode 0702)" in capsys.readouterr().err
    monkeypatch.setenv("MYTRITON_CACHE_DIR", "0")
    assert cache.main([]) == 1
    assert "the cache is off" in capsys.readouterr().err


def test_the_tests_have_a_cache_of_their_own() -> None:
    where = cache.folder()
    assert where and where.name.startswith("mytriton-tests-")
