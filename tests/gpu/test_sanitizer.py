"""compute-sanitizer finds nothing in kernels whose threads exchange much."""

import os
import shutil
from pathlib import Path

import pytest

from gpu.machine import Gpu, run_python

TOOLS = ("memcheck", "racecheck", "synccheck")


def sanitizer() -> str | None:
    folders = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    path = [os.environ.get("PATH", ""), *(str(Path(each) / "bin") for each in folders if each)]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(path))


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_is_found(gpu: Gpu, tool: str) -> None:
    program, before = sanitizer(), ()
    if gpu.is_real:
        if program is None:
            pytest.skip("compute-sanitizer is neither on PATH nor in CUDA_HOME/bin")
        before = (program, "--tool", tool, "--error-exitcode", "42", "--print-limit", "5")
        # Torch's own kernels are not in question, and take long to watch.
        before += ("--kernel-name-exclude", "kernel_substring=at6native")
    text = "import sys; from gpu.sanitized import main; main(sys.argv[1])"
    done = run_python(text, gpu.device, before=before, PYTORCH_NO_CUDA_MEMORY_CACHING="1")
    if "Device not supported" in done.stdout:
        pytest.skip("compute-sanitizer does not support this device")
    report = (done.stdout + done.stderr)[-3000:]
    assert done.returncode == 0, report
    assert "ran to the end" in done.stdout, report
