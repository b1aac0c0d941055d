"""The README's example prints what the README shows, and the example script agrees with eager."""

import contextlib
import io
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

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


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(path.read_text() for path in (ROOT / "tests").glob("test_*.py"))
    for example in (ROOT / "examples").glob("*.py"):
        assert f'"{example.name}"' in tests


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What an example prints."""

    def printed(name: str, *arguments: str) -> str:
        script = str(ROOT / "examples" / name)
        threads = torch.get_num_threads()
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        try:
            runpy.run_path(script, run_name="__main__")
        finally:
            torch.set_num_threads(threads)
        return capsys.readouterr().out

    return printed


def test_fused_activation_shows_stages_and_agrees(run: Callable[..., str]) -> None:
    printed = run("fused_activation.py", "--show", "ssa", "cuda", "cpu")
    assert "agrees with eager" in printed
    for part in ("kernel bias_gelu_residual(", "__global__", "mt_program", "times as fast"):
        assert part in printed


def test_layer_norm_agrees_in_both_directions(run: Callable[..., str]) -> None:
    printed = run("layer_norm.py", "--show", "ssa", "cpu")
    assert "agrees with torch" in printed
    for part in ("kernel backward_kernel(", "mt_program", "of dx to float64", "times as fast"):
        assert part in printed


def test_matmul_measures_its_configs_and_agrees(run: Callable[..., str]) -> None:
    printed = run("matmul.py", "--size", "33")
    assert "agrees with torch" in printed and "33 x 33 times 33 x 49" in printed
    assert printed.count("us with {") == 2 and printed.count("<- chosen") == 1


def test_fused_mlp_trains_as_eager_does(run: Callable[..., str]) -> None:
    printed = run("fused_mlp.py", "--steps", "10", "--size", "64")
    assert "agrees with eager" in printed and "times as fast" in printed
    losses = [float(line.split()[1]) for line in printed.splitlines()[1:6]]
    assert losses == sorted(losses, reverse=True)


def test_a_compiled_model_trains_as_in_eager_torch(run: Callable[..., str]) -> None:
    torch.compiler.reset()
    try:
        printed = run("torch_compile.py", "--steps", "5")
    finally:
        torch.compiler.reset()
    assert "in 5 steps, agrees with eager torch" in printed
    assert "us a step compiled" in printed
