"""device_assert stops the launch and says where; without debug it is no code at all."""

from pathlib import Path

import pytest
import torch
from engines import both

import mytriton
import mytriton.language as tl
from mytriton import _C
from mytriton.language import debug


@mytriton.jit(debug=True)
def checked_kernel(x, out, n, BLOCK: tl.constexpr):
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = lane < n
    value = tl.load(x + lane, mask=mask, other=-1.0)
    tl.device_assert(n > 2, "n is small")
    tl.device_assert(value >= 0, "a negative value", mask=mask)
    tl.store(out + lane, value, mask=mask)


def debugged(engine, kernel: mytriton.JITFunction):
    """The engine's kernel; a twin that an engine makes of it has the same option."""
    twin = engine(kernel)
    getattr(twin, "kernel", twin).debug = True
    return twin


def place(words: str) -> str:
    lines = Path(__file__).read_text().splitlines()
    return f"{__file__}:{1 + next(i for i, line in enumerate(lines) if words in line)}"


@both
def test_what_holds_changes_nothing(engine) -> None:
    x, out = torch.rand(100), torch.zeros(100)
    debugged(engine, checked_kernel)[4](x, out, 100, BLOCK=32)
    assert torch.equal(x, out)


@pytest.mark.on_host("what the CPU prints and raises")
@both
def test_the_first_failure_stops_the_launch(engine) -> None:
    x, out = torch.rand(100), torch.zeros(100)
    x[[70, 75, 98]] = -1.0
    where = place('"a negative value"')
    with pytest.raises(AssertionError) as error:
        debugged(engine, checked_kernel)[4](x, out, 100, BLOCK=32)
    expected = f"pid (2, 0, 0) idx (6) assertion failed: a negative value ({where})"
    assert str(error.value) == expected
    assert torch.equal(out[:64], x[:64])  # programs before it have run
    assert not out[96:].any()


@pytest.mark.on_host("what the CPU prints and raises")
@both
def test_a_scalar_condition(engine) -> None:
    x = torch.rand(8)
    with pytest.raises(AssertionError, match=r"pid \(0, 0, 0\) idx \(\) .* n is small"):
        debugged(engine, checked_kernel)[1](x, x, 1, BLOCK=8)


@mytriton.jit
def quiet_kernel(x, BLOCK: tl.constexpr):
    value = tl.load(x + tl.arange(0, BLOCK))
    tl.device_assert(value, "zero")
    tl.store(x + tl.arange(0, BLOCK), value + 1)


def test_off_without_debug_and_compiled_anew_when_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = torch.zeros(8, dtype=torch.int32)
    compiled = quiet_kernel[1](x, BLOCK=8)
    assert "device_assert" not in compiled.asm["ssa"]
    monkeypatch.setitem(debug.SETTINGS, "debug", True)
    quiet_kernel[1](x, BLOCK=8)
    assert x.tolist() == [2] * 8
    with pytest.raises(AssertionError, match="zero"):
        quiet_kernel[1](torch.zeros(8, dtype=torch.int32), BLOCK=8)
    monkeypatch.setitem(debug.SETTINGS, "debug", False)
    assert quiet_kernel[1](x, BLOCK=8) is compiled


def test_cuda_text_traps() -> None:
    text = checked_kernel.compile("*fp32", "*fp32", "i32", BLOCK=64).cuda_src
    assert text.count("__trap();") == 2
    assert "assertion failed: a negative value" in text


def test_text_form() -> None:
    ssa = checked_kernel.compile("*fp32", "*fp32", "i32", BLOCK=64).asm["ssa"]
    assert 'device_assert "n is small", %' in ssa
    assert _C.parse_kernel(ssa, "x.mt").stage("ssa") == ssa


MISTAKES = [
    (lambda x: tl.device_assert(x), "expected a condition, got pointer<fp32>"),
    (lambda x: tl.device_assert(True, 3), "msg must be a string, got int"),
    (lambda x: tl.device_assert(True, "m", mask=1.5), "bit_not requires int or bool, got f32"),
]


@pytest.mark.parametrize(("wrong", "message"), MISTAKES)
def test_mistakes(wrong, message: str) -> None:
    @mytriton.jit(debug=True)
    def kernel(x):
        wrong(x)

    with pytest.raises(mytriton.CompileError, match=message):
        kernel.compile("*fp32")


@pytest.mark.on_host("what the CPU prints and raises")
@both
def test_python_s_print(engine, capsys: pytest.CaptureFixture) -> None:
    @mytriton.jit
    def kernel(x):
        print("program", tl.program_id(0), 2)
        print(tl.arange(0, 2))
        tl.store(x, 1.0)

    engine(kernel)[2](torch.zeros(1))
    lines = capsys.readouterr().out.splitlines()
    where = ["pid (0, 0, 0) idx", "pid (1, 0, 0) idx"]
    assert lines == [
        *(f"{where[0]} () program 0, 2", f"{where[0]} (0) 0", f"{where[0]} (1) 1"),
        *(f"{where[1]} () program 1, 2", f"{where[1]} (0) 0", f"{where[1]} (1) 1"),
    ]
