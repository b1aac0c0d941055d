"""Looking inside: explain puts stages under Python lines; MYTRITON_DUMP writes every stage."""

import linecache
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from kernels import add_kernel, leaky_relu_kernel, mixed_widths_kernel

import mytriton as triton
import mytriton.language as tl


def compile_leaky() -> triton.CompiledKernel:
    return leaky_relu_kernel.compile("*fp32", "*fp32", "i32", "fp32", BLOCK=256)


def blocks(text: str) -> dict[str, list[str]]:
    """Python line -> the lines of all stages below it."""
    out: dict[str, list[str]] = {}
    for block in text.split("\n\n")[1:]:
        first, *rest = block.splitlines()
        out[first.split(maxsplit=1)[1]] = [line.strip() for line in rest]
    return out


def test_explain_puts_each_stage_under_its_python_line() -> None:
    table = blocks(compile_leaky().explain())
    where = table["b = tl.where(a < 0.0, alpha * a, a)"]
    assert "ssa   %9 = select %7, %8, %6 : vector<256 x f32>" in where
    assert "cuda  float v9 = (v7 ? v8 : v6);" in where
    assert "cpu   const f32v v9 = (v7 ? v8 : v6);" in where
    assert "cuda  out[v3] = v9;" in table["tl.store(out + offs, b, mask=mask)"]


def test_explain_shows_every_instruction_once() -> None:
    compiled = compile_leaky()
    shown = [line for lines in blocks(compiled.explain(["ssa"])).values() for line in lines]
    assert sorted(shown) == sorted(f"ssa  {line}" for line in compiled.ssa_ops)


def test_explain_reaches_into_helpers_and_follows_the_kernel() -> None:
    def square(value):
        return value * value

    @triton.jit
    def kernel(x, out):
        tl.store(out, square(tl.load(x)))

    table = blocks(kernel.explain("*fp32", "*fp32"))
    assert table["return value * value"][0].startswith("ssa   %1 = mul %0, %0")


def test_explain_refuses_unknown_stages() -> None:
    with pytest.raises(ValueError, match="expected some of ssa, cuda, cpu; got 'plan'"):
        compile_leaky().explain(["plan"])


def test_places_are_those_of_the_source() -> None:
    artifact = compile_leaky()._artifact
    for stage in ("ssa", "cuda", "cpu"):
        places = artifact.stage_places(stage)
        assert len(places) == len(artifact.stage(stage).splitlines())
        lines = {linecache.getline(*place[:2]).strip() for place in places if place}
        assert "mask = offs < n" in lines


def test_dump_writes_every_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_DUMP", str(tmp_path))
    add_kernel.clear_cache()
    x = torch.ones(4)
    compiled = add_kernel[(1,)](x, x, x.clone(), 4, BLOCK=16)
    (folder,) = tmp_path.iterdir()
    assert f"mytriton::{folder.name}" == compiled.op_name
    files = {path.name: path.read_text() for path in folder.iterdir()}
    assert files["ssa.mt"] == compiled.asm["ssa"] + "\n"
    assert files["kernel.cu"] == compiled.cuda_src + "\n"
    assert compiled.asm["cpu"] in files["kernel.cpp"]
    assert "namespace mytriton::rows" in files["kernel.cpp"]
    assert set(files) == {
        *("expressions.txt", "ssa.mt", "plan.txt", "cpu_plan.txt", "kernel.cu", "kernel.cpp")
    }


def test_dump_says_why_a_stage_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_DUMP", str(tmp_path))
    mixed_widths_kernel.clear_cache()
    mixed_widths_kernel[(1,)](torch.ones(256), torch.ones(256), layout="lane")
    (folder,) = tmp_path.iterdir()
    assert "one vector width, got: 128, 256" in (folder / "kernel.cu").read_text()


def test_layers_example_prints_every_stage() -> None:
    script = Path(__file__).parent.parent / "examples" / "layers.py"
    for options, expected in (([], "select %7, %8, %6"), (["--stages"], "--- cpu_plan")):
        done = subprocess.run(
            [sys.executable, script, *options], check=True, capture_output=True, text=True
        )
        assert expected in done.stdout
