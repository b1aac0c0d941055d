"""What goes wrong on the device is said, with a remedy; printing and asserting from kernels.

In processes of their own, as such an error spoils the context, and the device prints by itself.
"""

import pytest

import mytriton
import mytriton.language as tl
from gpu.machine import Gpu, run_python

START = """
import sys
import torch
import mytriton
import mytriton.language as tl
device = sys.argv[1]
"""

PRINT = f"""{START}
from test_device_print import print_kernel
x = torch.arange(6.0, device=device)
print_kernel[(2,)](x, 3, True, BLOCK=3)
assert x.tolist() == [3, 4, 5, 15, 16, 17], x
"""


def test_every_lane_prints_its_line(gpu: Gpu) -> None:
    done = run_python(PRINT, gpu.device)
    assert done.returncode == 0, done.stderr
    expected = []
    for pid, row in enumerate([[0, 1, 2], [3, 4, 5]]):
        where = f"pid ({pid}, 0, 0) idx"
        expected.append(f"{where} () start {pid}, ")
        expected += [f"{where} ({i}) x {v}" for i, v in enumerate(row)]
        expected += [f"{where} ({i}) " for i in range(3)]
        expected.append(f"{where} () total {sum(row)}")
    lines = done.stdout.splitlines()
    for each in expected:
        assert any(line.startswith(each) for line in lines), (each, lines)
    assert len(lines) == 16


ASSERT = f"""{START}
from test_device_assert import checked_kernel
x, out = torch.rand(100, device=device), torch.zeros(100, device=device)
checked_kernel.debug = True
checked_kernel[(4,)](x, out, 100, BLOCK=32)
assert torch.equal(x, out)
x[70] = -1.0
try:
    checked_kernel[(4,)](x, out, 100, BLOCK=32)
    if device == "cuda":
        torch.cuda.synchronize()
except (AssertionError, RuntimeError) as error:
    print("raised", error)
"""


def test_a_failed_assertion_says_where(gpu: Gpu) -> None:
    done = run_python(ASSERT, gpu.device)
    assert done.returncode == 0, done.stderr
    assert "pid (2, 0, 0) idx (6) assertion failed: a negative value" in done.stdout
    assert "test_device_assert.py:" in done.stdout
    assert "raised" in done.stdout


@mytriton.jit
def wild_kernel(x, far, BLOCK: tl.constexpr):
    tl.store(x + (far + tl.arange(0, BLOCK)), 1.0)


FAULT = f"""{START}
from kernels import copy_kernel
from gpu.test_errors import wild_kernel
x, out = torch.rand(2, 256, device=device).unbind()
copy_kernel[(1,)](x, out, 256, BLOCK=256)
if device == "cpu":
    sys.exit(print("cuLaunchKernel compute-sanitizer"))
wild_kernel[(1,)](x, 1 << 40, BLOCK=256)
for _ in range(2):
    try:
        copy_kernel[(1,)](x, out, 256, BLOCK=256)
        torch.cuda.synchronize()
    except RuntimeError as error:
        print(error)
"""


def test_launches_after_a_wild_access(gpu: Gpu) -> None:
    done = run_python(FAULT, gpu.device)
    assert done.returncode == 0, done.stderr
    assert "cuLaunchKernel" in done.stdout or "illegal memory access" in done.stdout
    assert not gpu.is_real or "compute-sanitizer" in done.stdout


FORK = f"""{START}
import os
from kernels import relu_kernel
x = torch.ones(256, device=device)
relu_kernel[(1,)](x, x, 256, BLOCK=256)
child = os.fork()
if child == 0:
    try:
        if device == "cpu":
            raise RuntimeError("'spawn'")
        relu_kernel[(1,)](x, x, 256, BLOCK=256)
    except RuntimeError as error:
        os._exit(17 if "'spawn'" in str(error) else 18)
    os._exit(19)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
relu_kernel[(1,)](x, x, 256, BLOCK=256)
print(int(x.sum()))
"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_is_told_to_spawn(gpu: Gpu) -> None:
    done = run_python(FORK, gpu.device)
    assert (done.returncode, done.stdout.split()) == (0, ["17", "256"]), done.stderr
