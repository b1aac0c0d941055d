"""Printing from kernels: every lane a line, in the order of programs, statements and lanes."""

import pytest
import torch
from engines import both

import mytriton
import mytriton.language as tl


@mytriton.jit
def print_kernel(x, n, flag, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    value = tl.load(x + pid * BLOCK + lane, mask=lane < n)
    tl.device_print("start", pid, flag)
    tl.device_print("x", value, pid)
    tl.device_print("", lane > 0)
    total = tl.sum(value, axis=0)
    tl.device_print("total", total)
    tl.store(x + pid * BLOCK + lane, value + total, mask=lane < n)


@pytest.mark.on_host("what the CPU prints and raises")
@both
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint64]
)
def test_lines_come_in_order(engine, dtype: torch.dtype, capsys: pytest.CaptureFixture) -> None:
    x = torch.arange(6).to(dtype)
    engine(print_kernel)[2](x, 3, True, BLOCK=3)
    spell = float if dtype.is_floating_point else int
    expected = []
    for pid, row in enumerate([[0, 1, 2], [3, 4, 5]]):
        where = f"pid ({pid}, 0, 0) idx"
        expected += [f"{where} () start {pid}, true"]
        expected += [f"{where} ({i}) x {spell(v)}, {pid}" for i, v in enumerate(row)]
        expected += [f"{where} ({i}) {'true' if i else 'false'}" for i in range(3)]
        expected += [f"{where} () total {spell(sum(row))}"]
    assert capsys.readouterr().out.splitlines() == expected
    assert x.tolist() == [3, 4, 5, 15, 16, 17]


@mytriton.jit
def many_kernel(x, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.device_print('50% "of"\\', tl.load(x + lane).to(tl.int16), hex=True)


@pytest.mark.on_host("what the CPU prints and raises")
@both
def test_lanes_and_hex(engine, capsys: pytest.CaptureFixture) -> None:
    engine(many_kernel)[1](torch.arange(-1, 36, dtype=torch.int32), BLOCK=37)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == 'pid (0, 0, 0) idx (0) 50% "of"\\ 0xffff'
    assert lines[36] == 'pid (0, 0, 0) idx (36) 50% "of"\\ 0x0023'
    assert len(lines) == 37


@pytest.mark.on_host("what the CPU prints and raises")
@both
def test_programs_print_in_order(engine, capsys: pytest.CaptureFixture) -> None:
    @mytriton.jit
    def kernel(x):
        tl.device_print("at", tl.program_id(2))
        tl.store(x + tl.program_id(0), 1)

    engine(kernel)[40, 1, 2](torch.zeros(40))
    lines = capsys.readouterr().out.splitlines()
    expected = [(x, z) for z in range(2) for x in range(40)]
    assert lines == [f"pid ({x}, 0, {z}) idx () at {z}" for x, z in expected]


def test_cuda_text() -> None:
    text = many_kernel.compile("*i32", BLOCK=64).cuda_src
    assert 'printf("pid (%d, %d, %d) idx (%d) 50%% \\"of\\"\\\\ 0x%04x\\n", blockIdx.x' in text
    text = print_kernel.compile("*fp16", "i32", "i1", BLOCK=64).cuda_src
    assert "if (threadIdx.x == 0) {" in text
    assert '") start %d, %d\\n"' not in text
    assert "start %d, %d" in text
    assert "x %g, %d" in text


def test_text_form_reads_back() -> None:
    from mytriton import _C

    compiled = many_kernel.compile("*i32", BLOCK=64)
    ssa = compiled.asm["ssa"]
    assert 'print "50% \\"of\\"\\\\", %' in ssa
    assert _C.parse_kernel(ssa, "x.mt").stage("ssa") == ssa


MISTAKES = [
    (lambda x: tl.device_print(1, 2), "prefix must be a string, got int"),
    (lambda x: tl.device_print("a", x), "expected numbers, got ptr<f32>"),
    (lambda x: tl.device_print("a", tl.arange(0, 4), tl.arange(0, 8)), "incompatible shapes"),
    (lambda x: tl.device_print("a", "b"), "expected a traced value or a Python number, got str"),
]


@pytest.mark.parametrize(("wrong", "message"), MISTAKES)
def test_mistakes(wrong, message: str) -> None:
    @mytriton.jit
    def kernel(x):
        wrong(x)

    with pytest.raises(mytriton.CompileError, match=message):
        kernel.compile("*fp32")
