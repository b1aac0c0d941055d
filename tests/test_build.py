"""The build refuses, in words, to run where torch cannot be seen."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What pip's isolated build sees: setuptools, and no torch.
WITHOUT_TORCH = """
import runpy, sys
sys.modules["torch"] = None
sys.argv = ["setup.py", {command}]
runpy.run_path("setup.py", run_name="__main__")
"""


def test_isolated_build_stops_with_the_right_command(tmp_path: Path) -> None:
    # The metadata step comes before pip downloads dependencies.
    command = f"'dist_info', '--output-dir', {str(tmp_path)!r}"
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH.format(command=command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "pip install --no-build-isolation -e ." in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []
