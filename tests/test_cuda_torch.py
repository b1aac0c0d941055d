"""The CUDA half of the torch layer without a GPU: what is registered, and launches on the fake.

use_fake_cuda.py does the launches, in a process of its own: CUDA tensors whose memory is the
host's, a driver that checks the rules and runs the emitted text. Its libraries are compiled here.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from kernels import add_kernel
from torch.utils.cpp_extension import include_paths, library_paths

import mytriton

TESTS = Path(__file__).parent
FAKE = TESTS / "fake_cuda"
SHIM = TESTS / "cuda_on_cpu"
CHECKS = [
    line.removeprefix("def ").partition("(")[0]
    for line in (TESTS / "use_fake_cuda.py").read_text().splitlines()
    if line.startswith("def check_")
]


# --- what is registered --------------------------------------------------------------------------


def has_kernel(op: str, key: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(op, key)


@pytest.mark.parametrize("key", ["CUDA", "CPU", "Meta"])
def test_launches_have_a_kernel_for_each_device(key: str) -> None:
    x = torch.ones(8)
    compiled = add_kernel[(1,)](x, x, torch.empty(8), 8, BLOCK=8)
    assert has_kernel(compiled.op_name, key)


@pytest.mark.parametrize("key", ["CUDA", "CPU", "Meta"])
def test_elementwise_ops_have_a_kernel_for_each_device(key: str) -> None:
    @mytriton.elementwise(opaque=True)
    def tripled_for_registration(x):
        return x * 3.0

    x = torch.ones(8, requires_grad=True)
    tripled_for_registration(x).sum().backward()
    assert x.grad is not None and torch.equal(x.grad, torch.full((8,), 3.0))
    names = torch._C._dispatch_get_all_op_names()
    ops = {name for name in names if "tripled_for_registration" in name}
    assert ops and all(has_kernel(name, key) for name in ops), ops


# --- what is loaded ------------------------------------------------------------------------------

WITHOUT_CUDA = """
import sys
sys.path.insert(0, "tests")
import torch
from elementwise_functions import exponential, gated
from kernels import add_kernel
x = torch.ones(100, requires_grad=True)
exponential(x).sum().backward()
gated(x, x, x)
assert "__global__" in add_kernel.compile("*fp32", "*fp32", "*fp32", "i32", BLOCK=256).cuda_src
files = [line.split()[-1].rpartition("/")[2] for line in open("/proc/self/maps")]
print(*(name for name in files if name.startswith(("libcuda", "libnvrtc"))))
"""


def test_work_on_the_cpu_loads_no_cuda_library() -> None:
    """Nor do gradients and CUDA text: only a launch on a CUDA tensor and a cubin need one."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CUDA], cwd=TESTS.parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


# --- launches on the fake ------------------------------------------------------------------------


def _compile(*arguments: object) -> subprocess.Popen[str]:
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-fPIC", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def _wait(*compilers: subprocess.Popen[str]) -> None:
    for each in compilers:
        _, errors = each.communicate()
        assert each.returncode == 0, errors


@pytest.fixture(scope="module")
def raised(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("fake_cuda")
    driver, nvrtc = folder / "libcuda.so.1", folder / "libnvrtc.so.13"
    compiler = os.environ.get("CXX", "c++")
    sources = [FAKE / "driver.cpp", FAKE / "state.cpp", FAKE / "device.cpp"]
    torch_object = folder / "torch_device.o"
    _wait(
        _compile(
            *("-c", "-O0", FAKE / "torch_device.cpp", "-o", torch_object),
            *(f"-isystem{path}" for path in include_paths()),
        ),
        _compile(
            *("-shared", "-O1", "-ffp-contract=off", "-fwrapv", "-Wl,-soname,libcuda.so.1"),
            *(f"-I{path}" for path in (TESTS, SHIM, TESTS.parent / "csrc")),
            *(f'-DFAKE_CUDA_CXX="{compiler}"', f'-DFAKE_CUDA_SOURCE="{TESTS.parent}"'),
            *(*sources, SHIM / "device_math.cpp", "-ldl", "-o", driver),
        ),
        _compile("-shared", "-O0", FAKE / "nvrtc.cpp", "-o", nvrtc),
    )
    library = folder / "torch_device.so"
    libraries = [f"-L{path}" for path in library_paths()]
    _wait(
        _compile(
            *("-shared", torch_object, driver, f"-Wl,-rpath,{folder}", *libraries),
            *("-ltorch_cpu", "-lc10", "-o", library),
        )
    )
    chosen = {"MYTRITON_LIBCUDA": str(driver), "MYTRITON_NVRTC_PATH": str(folder)}
    done = subprocess.run(
        [sys.executable, str(TESTS / "use_fake_cuda.py"), str(library)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **chosen, "MYTRITON_CACHE_DIR": str(folder / "cache")},
    )
    assert done.returncode == 0, done.stderr
    yield json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", CHECKS)
def test_on_the_fake(raised: dict[str, str], name: str) -> None:
    assert raised[name] == "", raised[name]


def test_no_rule_is_broken_on_the_fake(raised: dict[str, str]) -> None:
    assert set(raised) == set(CHECKS), raised.get("violations")
