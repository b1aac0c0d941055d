"""The README's example prints what the README shows, and the example script agrees with eager."""

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def fenced(text: str) -> list[tuple[str, str]]:
    """(language, body) of each fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_readme_output_is_what_its_example_prints() -> None:
    blocks = fenced((ROOT / "README.md").read_text())
    assert blocks[0][0] == "python"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks[0][1], {"__name__": "readme"})
    assert printed.getvalue() == blocks[1][1]


def test_readme_names_the_commands_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_fused_activation_shows_stages_and_agrees(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = str(ROOT / "examples" / "fused_activation.py")
    monkeypatch.setattr(sys, "argv", [script, "--show", "ssa", "cuda", "cpu"])
    runpy.run_path(script, run_name="__main__")
    printed = capsys.readouterr().out
    assert "agrees with eager" in printed
    for part in ("kernel bias_gelu_residual(", "__global__", "mt_program", "times as fast"):
        assert part in printed
