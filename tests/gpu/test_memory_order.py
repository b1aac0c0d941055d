"""What acquire, release and locks order between programs that run at once, on real memory."""

import pytest
import torch

import mytriton
import mytriton.language as tl
from gpu.machine import Gpu

PROGRAMS = 256
WIDTH = 1024


@mytriton.jit
def locked_rows_kernel(lock, total, x, WIDTH: tl.constexpr):
    """Each program adds its row to one total, which only a lock guards."""
    lanes = tl.arange(0, WIDTH)
    row = tl.load(x + tl.program_id(0) * WIDTH + lanes)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total + lanes, tl.load(total + lanes) + row)
    tl.atomic_xchg(lock, 0)


@mytriton.jit
def last_one_sums_kernel(x, partials, ticket, out, PROGRAMS: tl.constexpr, WIDTH: tl.constexpr):
    """The program that is done last adds up what all the others stored."""
    pid = tl.program_id(0)
    row = tl.load(x + pid * WIDTH + tl.arange(0, WIDTH))
    tl.store(partials + pid, tl.sum(row, axis=0))
    mine = tl.atomic_add(ticket, 1, sem="acq_rel")
    if mine == PROGRAMS - 1:
        tl.store(out, tl.sum(tl.load(partials + tl.arange(0, PROGRAMS)), axis=0))


@mytriton.jit
def message_kernel(data, flag, out, WIDTH: tl.constexpr):
    """Program 0 stores a row and raises a flag; the others wait for that and read the row."""
    pid = tl.program_id(0)
    lanes = tl.arange(0, WIDTH)
    if pid == 0:
        tl.store(data + lanes, lanes + 1)
        tl.atomic_xchg(flag, 1, sem="release")
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
    tl.store(out + pid * WIDTH + lanes, tl.load(data + lanes))


def rows(gpu: Gpu) -> torch.Tensor:
    """Whole numbers, whose sums are exact in any order."""
    return torch.randint(-8, 9, (PROGRAMS, WIDTH), device=gpu.device).float()


@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_a_lock_guards_a_row(gpu: Gpu, num_warps: int) -> None:
    x = rows(gpu)
    lock = torch.zeros(1, dtype=torch.int32, device=gpu.device)
    total = torch.zeros(WIDTH, device=gpu.device)
    for turn in range(1, 6):
        locked_rows_kernel[(PROGRAMS,)](lock, total, x, WIDTH=WIDTH, num_warps=num_warps)
        assert torch.equal(total, turn * x.sum(0))


def test_the_last_program_sees_what_all_stored(gpu: Gpu) -> None:
    x = rows(gpu)
    for _ in range(50):
        ticket = torch.zeros(1, dtype=torch.int32, device=gpu.device)
        partials = torch.full((PROGRAMS,), float("nan"), device=gpu.device)
        out = torch.empty(1, device=gpu.device)
        last_one_sums_kernel[(PROGRAMS,)](x, partials, ticket, out, PROGRAMS=PROGRAMS, WIDTH=WIDTH)
        assert out.item() == x.sum().item()


def test_a_flag_publishes_a_row(gpu: Gpu) -> None:
    for _ in range(50):
        data = torch.zeros(WIDTH, dtype=torch.int32, device=gpu.device)
        flag = torch.zeros(1, dtype=torch.int32, device=gpu.device)
        # So few that all of them run at once on any GPU.
        out = torch.empty((16, WIDTH), dtype=torch.int32, device=gpu.device)
        message_kernel[(16,)](data, flag, out, WIDTH=WIDTH)
        expected = torch.arange(1, WIDTH + 1, dtype=torch.int32, device=gpu.device)
        assert torch.equal(out, expected.expand(16, -1))
