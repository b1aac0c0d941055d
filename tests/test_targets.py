"""``kernel.compile``: PTX and cubins for any architecture, without a GPU or a launch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from kernels import add_kernel, softmax_kernel

import mytriton as triton
import mytriton.language as tl
from mytriton import _C

needs_nvrtc = pytest.mark.skipif(
    not _C.nvrtc_available() and os.environ.get("MYTRITON_REQUIRE_NVRTC") != "1",
    reason="no NVRTC: pip install nvidia-cuda-nvrtc",
)


@needs_nvrtc
def test_ptx_and_cubin_are_for_the_target() -> None:
    for target, elf_arch in (("sm_80", 80), ("sm_90a", 90)):
        compiled = add_kernel.compile("*fp32", "*fp32", "*fp32", "i32", BLOCK=256, target=target)
        assert compiled.target == target
        assert f".target {target}\n" in compiled.asm["ptx"]
        assert ".entry add_kernel(" in compiled.asm["ptx"]
        cubin = compiled.asm["cubin"]
        assert cubin[:4] == b"\x7fELF"
        assert compiled.asm["cubin"] is cubin, "compiled once"
        flags = int.from_bytes(cubin[48:52], "little")
        assert elf_arch in (flags & 0xFF, flags >> 8 & 0xFF)


def test_types_stand_for_values() -> None:
    x = torch.zeros(4)
    launched = add_kernel[(1,)](x, x, x.clone(), 4, BLOCK=64)
    assert add_kernel.compile("*fp32", torch.float32, x, "i32", BLOCK=64) is launched
    assert add_kernel.compile(x, x, x, 4, BLOCK=64) is launched


def test_nothing_runs() -> None:
    out = torch.full((4,), 7.0)
    add_kernel.compile(torch.ones(4), torch.ones(4), out, 4, BLOCK=64)
    assert (out == 7.0).all()


def test_a_parameter_may_be_called_target() -> None:
    @triton.jit
    def kernel(out, target):
        tl.store(out, target)

    assert "ptr<f32>, target: i32" in kernel.compile("*fp32", target=3).asm["ssa"]


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "words"),
    [
        (("*fp8", "*fp32", "*fp32", "i32"), {}, TypeError, ["'x'", "*fp32", "*fp64", "'*fp8'"]),
        (("*fp32", "*fp32", "*fp32", "int32"), {}, TypeError, ["'n'", "i64", "u8", "'int32'"]),
        ((torch.complex64, "*fp32", "*fp32", "i32"), {}, TypeError, ["'x'", "torch.complex64"]),
        ((torch.float8_e5m2, "*fp32", "*fp32", "i32"), {}, TypeError, ["'x'", "float8_e5m2"]),
        (("*fp32", "*fp32", "*fp32"), {}, TypeError, ["'n'", "missing"]),
        (("*fp32", "*fp32", "*fp32", "i32"), {"target": "90"}, ValueError, ["sm_90a", "'90'"]),
    ],
)
def test_mistakes_are_named(arguments, keywords, error, words) -> None:
    with pytest.raises(error) as raised:
        add_kernel.compile(*arguments, BLOCK=64, **keywords)
    for word in words:
        assert word in str(raised.value)


@needs_nvrtc
def test_unknown_architecture_is_an_error() -> None:
    compiled = add_kernel.compile("*fp32", "*fp32", "*fp32", "i32", BLOCK=64, target="sm_13")
    with pytest.raises(RuntimeError, match="sm_13"):
        _ = compiled.asm["cubin"]


def test_unknown_stage_is_an_error() -> None:
    compiled = softmax_kernel.compile("*fp32", "*fp32", "i32", "i32", BLOCK=64)
    with pytest.raises(KeyError, match="no stage 'llir'; there are ssa"):
        _ = compiled.asm["llir"]


def test_without_nvrtc_the_pip_package_is_named() -> None:
    code = (
        "from kernels import add_kernel\n"
        "compiled = add_kernel.compile('*fp32', '*fp32', '*fp32', 'i32', BLOCK=64)\n"
        "try:\n    compiled.asm['cubin']\n"
        "except RuntimeError as error:\n    assert 'nvidia-cuda-nvrtc' in str(error), error\n"
        "else:\n    raise SystemExit('no error')\n"
    )
    environment = {**os.environ, "MYTRITON_NVRTC_PATH": "/nowhere"}
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=Path(__file__).parent, env=environment
    )
