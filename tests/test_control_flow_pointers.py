"""Pointers that loops and branches decide: where they point, and what torch sees written."""

from typing import Any

import pytest
import torch
from engines import every

import mytriton
import mytriton.language as tl


@mytriton.jit
def ping_pong(a, b, n):
    lanes = tl.arange(0, 16)
    source, target = a, b
    for _ in range(n):
        tl.store(target + lanes, tl.load(source + lanes) + 1)
        source, target = target, source


@every
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_swapped_pointers(n: int, engine: Any) -> None:
    a, b = torch.zeros(16), torch.full((16,), 7.0)
    engine(ping_pong)[(1,)](a, b, n)
    expected = [0.0, 7.0]
    for i in range(n):
        expected[1 - i % 2] = expected[i % 2] + 1
    assert a.tolist() == [expected[0]] * 16
    assert b.tolist() == [expected[1]] * 16


def test_both_are_known_to_be_written() -> None:
    a, b = torch.zeros(16), torch.zeros(16)
    versions = a._version, b._version
    compiled = ping_pong[(1,)](a, b, 3)
    assert (a._version, b._version) == (versions[0] + 1, versions[1] + 1)
    op = getattr(torch.ops.mytriton, str(compiled.op_name).partition("::")[2])
    assert "(Tensor(a!) a, Tensor(b!) b, " in str(op.default._schema)
    with pytest.raises(RuntimeError, match="requires grad"):
        ping_pong[(1,)](a.requires_grad_(), b, 3)


@mytriton.jit
def pick(x, n):
    if n > 3:
        for i in range(2):
            if n > 5:
                return x + i
        return x + 8
    return x + 4


@mytriton.jit
def picking(x, out, n):
    lanes = tl.arange(0, 16)
    tl.store(out + lanes, tl.load(pick(x + 2, n) + lanes))


@every
@pytest.mark.parametrize(("n", "first"), [(1, 6), (4, 10), (7, 2)])
def test_pointers_from_early_returns(n: int, first: int, engine: Any) -> None:
    x, out = torch.arange(64.0), torch.zeros(16)
    engine(picking)[(1,)](x, out, n)
    assert out.tolist() == list(range(first, first + 16))


@mytriton.jit
def moving(x, out, n, STEP: tl.constexpr):
    lanes = tl.arange(0, 16)
    pointers = x + lanes
    total = tl.zeros((16,), tl.float32)
    while n > 0:
        if n % 2 == 0:
            total += tl.load(pointers)
        pointers += STEP
        n -= 1
    tl.store(out + lanes, total)


def test_moved_pointers_keep_their_base() -> None:
    x, out = torch.arange(200.0), torch.zeros(16)
    compiled = moving[(1,)](x, out, 6, STEP=20)
    assert torch.equal(out, x[:16] + x[40:56] + x[80:96])
    assert "ptr_cast" not in str(compiled.ssa_ops)
    assert "contiguous" in compiled.asm["cpu_plan"]
