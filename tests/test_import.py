"""Importing mytriton: plain words where it cannot work, and little loaded where it can."""

import inspect
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch

import mytriton
import mytriton.language as tl
from mytriton import torch_build

COMMAND = "pip install --no-build-isolation -e ."


def run_python(script: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(mytriton.__file__).parent.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


# --- when it cannot work -------------------------------------------------------------------------


def test_another_minor_version_of_torch() -> None:
    built = torch_build.minor(torch.__version__)
    for version in ("2.99.0", "2.99.0+cu130", f"{built}9.0", "1.13.1"):
        with pytest.raises(ImportError) as caught:
            torch_build.check(version)
        message = str(caught.value)
        assert f"built for torch {built}," in message and f"torch {version} is installed" in message
        assert COMMAND in message
    for version in (f"{built}.0", f"{built}.7+cpu", f"{built}.0a0+git1234"):
        torch_build.check(version)


def test_import_beside_another_torch_fails_plainly() -> None:
    script = f"""
import sys, torch
torch.__version__ = "2.99.0"
try:
    import mytriton
except ImportError as error:
    assert "torch 2.99.0 is installed" in str(error) and {COMMAND!r} in str(error), error
    assert error.__cause__ is None
    assert "mytriton" not in sys.modules
else:
    sys.exit("imported")
"""
    run_python(script)


def test_a_missing_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mytriton._C", None)
    with pytest.raises(ImportError) as caught:
        torch_build.check("2.13.0")
    message = str(caught.value)
    assert "mytriton's extension is missing, or does not load beside torch 2.13.0" in message
    assert COMMAND in message
    assert isinstance(caught.value.__cause__, ImportError)  # the loader's own words


# --- what it loads -------------------------------------------------------------------------------


def test_nothing_is_loaded_that_torch_does_not_load() -> None:
    script = """
import sys, torch
before = set(sys.modules)
import mytriton, mytriton.language
added = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(added - set(sys.stdlib_module_names)))
heavy = [name for name in ("torch._dynamo", "torch._inductor") if name in set(sys.modules) - before]
assert not heavy, heavy
files = [line.split()[-1].rpartition("/")[2] for line in open("/proc/self/maps")]
assert not [name for name in files if name.startswith(("libcuda", "libnvrtc"))]
"""
    assert run_python(script).split() == ["mytriton"]


def test_a_launch_loads_no_cuda_library() -> None:
    script = """
import sys
sys.path.insert(0, "tests")
import torch
from kernels import add_kernel
xs = torch.ones(3, 8)
_, _, cuda_src = add_kernel[1](*xs, 8, BLOCK=128)
assert xs[2].tolist() == [2.0] * 8 and "__global__" in cuda_src
files = [line.split()[-1].rpartition("/")[2] for line in open("/proc/self/maps")]
assert not [name for name in files if name.startswith(("libcuda", "libnvrtc"))]
assert "triton" not in sys.modules and "torch._dynamo" not in sys.modules
"""
    run_python(script)


# --- what it offers ------------------------------------------------------------------------------


def test_public_names() -> None:
    for module in (mytriton, tl):
        assert sorted(module.__all__) == sorted(set(module.__all__))
        for name in module.__all__:
            value = getattr(module, name)
            assert value.__doc__ or isinstance(value, tl.dtype), name
    public = {
        name
        for name, value in vars(mytriton).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public | {"language", "runtime", "testing", "tools"} == set(mytriton.__all__)
    assert {"jit", "cdiv", "next_power_of_2", "CompileError", "CompiledKernel"} <= public
    assert (Path(mytriton.__file__).parent / "py.typed").exists()


def test_every_op_of_the_table_is_in_the_language() -> None:
    for row in mytriton._C.op_rows():
        if row["python"] == "tl":
            function = getattr(tl, row["name"])
            assert row["name"] in tl.__all__
            assert inspect.isfunction(function) and function.__name__ == row["name"]
            assert function.__doc__
            if row["name"] not in ("maximum", "minimum", "clamp"):  # they have further parameters
                assert row["doc"] in function.__doc__


def test_cdiv() -> None:
    cases = [(0, 5, 0), (1, 5, 1), (5, 5, 1), (6, 5, 2), (10, 5, 2), (2**40 + 1, 2**20, 2**20 + 1)]
    for x, div, expected in cases:
        assert mytriton.cdiv(x, div) == tl.cdiv(x, div) == expected
    assert isinstance(mytriton.cdiv(7, 2), int)


def test_next_power_of_2() -> None:
    cases = {-3: 1, 0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 1000: 1024, 2**40: 2**40, 2**40 + 1: 2**41}
    for n, expected in cases.items():
        assert mytriton.next_power_of_2(n) == tl.next_power_of_2(n) == expected


def test_the_language_is_for_kernels_only() -> None:
    with pytest.raises(RuntimeError, match="only inside a kernel that is being launched"):
        tl.arange(0, 4)
    with pytest.raises(RuntimeError, match="is a kernel and needs a grid"):
        mytriton.jit(lambda x: None)(torch.zeros(1))
    with pytest.raises(TypeError, match="expected a function, got int"):
        mytriton.jit(3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"fixed list of parameters; got '\*args'"):
        mytriton.jit(lambda *args: None)
