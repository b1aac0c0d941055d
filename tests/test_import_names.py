"""The names under which Triton's files import things: here, and after install_as_triton."""

import copy
import importlib
import importlib.metadata
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import mytriton
import mytriton.language as tl
from mytriton.as_triton import MODULES

ROOT = Path(__file__).parent.parent


def run_python(script: str, *paths: Path) -> str:
    lines = [f"import sys; sys.path[:0] = {[str(each) for each in paths]!r}", script]
    command = [sys.executable, "-c", "\n".join(lines)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


# --- import mytriton as triton -------------------------------------------------------------------


def test_modules_are_where_triton_has_them() -> None:
    for name in MODULES:
        module = importlib.import_module(f"mytriton.{name}")
        value: Any = mytriton
        for part in name.split("."):
            value = getattr(value, part)
        if name != "runtime.driver":  # as in Triton, where the object hides the module
            assert value is module or name == "language.extra.cuda.libdevice"


def test_names_of_the_language_again() -> None:
    from mytriton.language import core, standard
    from mytriton.language.core import constexpr, float32, program_id, tensor
    from mytriton.language.extra.cuda import libdevice
    from mytriton.language.extra.cuda.libdevice import rsqrt
    from mytriton.language.math import umulhi
    from mytriton.language.random import philox, rand
    from mytriton.language.standard import _is_power_of_two, _log2, cdiv, sum

    assert (constexpr, float32, program_id) == (tl.constexpr, tl.float32, tl.program_id)
    assert (tensor, rsqrt, umulhi, sum) == (tl.tensor, tl.rsqrt, tl.umulhi, tl.sum)
    assert (philox, rand, cdiv) == (tl.philox, tl.rand, tl.cdiv)
    assert libdevice.erf is tl.extra.libdevice.erf is tl.erf
    for module in (core, standard):
        assert set(dir(module)) == set(module.__all__) == set(tl.__all__)
        with pytest.raises(AttributeError, match="has no 'semantic'"):
            _ = module.semantic
    assert [_log2(each) for each in (0, 1, 2, 3, 1024, tl.constexpr(2**40))] == [0, 0, 1, 1, 10, 40]
    powers = [each for each in range(-4, 20) if _is_power_of_two(each)]
    assert powers == [1, 2, 4, 8, 16]


def test_config_is_a_record() -> None:
    config = mytriton.Config({"BLOCK": 64}, num_warps=8)
    assert config.all_kwargs() == {"BLOCK": 64, "num_warps": 8, "num_ctas": 1, "num_stages": 3}
    assert config.pre_hook is None and config.maxnreg is None and config.ir_override is None
    assert str(config).startswith("BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 3")
    same, other = mytriton.Config({"BLOCK": 64}, 8), mytriton.Config({"BLOCK": 64}, 8, maxnreg=80)
    assert config == same and hash(config) == hash(same) and config != other
    assert other.all_kwargs()["maxnreg"] == 80
    assert pickle.loads(pickle.dumps(config)) == config


def test_version_is_triton_s_and_ours() -> None:
    public, _, local = mytriton.__version__.partition("+")
    assert tuple(int(each) for each in public.split(".")) >= (3, 0, 0)
    assert local == f"mytriton.{importlib.metadata.version('mytriton')}"


def test_driver_names_the_device() -> None:
    active = mytriton.runtime.driver.active
    device = active.get_active_torch_device()
    assert torch.zeros(1, device=device).device == device
    assert active.get_current_target().backend == device.type
    count = active.utils.get_device_properties(active.get_current_device())["multiprocessor_count"]
    assert count >= 1
    active.get_device_interface().synchronize()


# --- heuristics ----------------------------------------------------------------------------------


@mytriton.heuristics({"BLOCK": lambda args: mytriton.next_power_of_2(args["n"])})
@mytriton.heuristics(values={"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@mytriton.jit
def fill_kernel(out, n, value, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, value + (10.0 if EVEN else 0.0), mask=i < n)


@pytest.mark.parametrize(("n", "expected"), [(8, 11.0), (5, 1.0)])
def test_heuristics(n: int, expected: float) -> None:
    for given in ({}, {"BLOCK": 3}):  # what is given is replaced
        out = torch.zeros(10)
        fill_kernel[lambda meta: (mytriton.cdiv(n, meta["BLOCK"]),)](out, n, value=1.0, **given)
        assert out.tolist() == [expected] * n + [0.0] * (10 - n)


def test_heuristics_in_torch_compile() -> None:
    def fill(x):
        out = torch.zeros_like(x)
        fill_kernel[(1,)](out, 5, 1.0)
        return out + x

    x = torch.arange(8.0)
    assert torch.equal(torch.compile(fill, fullgraph=True, backend="eager")(x), fill(x))


def test_heuristics_keep_what_kernels_have() -> None:
    assert isinstance(fill_kernel, mytriton.KernelInterface)
    assert isinstance(fill_kernel.fn.fn, mytriton.JITFunction | mytriton.KernelInterface)
    assert fill_kernel.__name__ == "fill_kernel"
    assert pickle.loads(pickle.dumps(fill_kernel)) is fill_kernel
    assert copy.deepcopy(fill_kernel) is fill_kernel
    assert "vector<8 x" in str(fill_kernel.compile("*fp32", 6, 1.0).ssa_ops)
    with pytest.raises(RuntimeError, match="needs a grid"):
        fill_kernel(torch.zeros(1), 1, 1.0)


def test_wrong_heuristics() -> None:
    with pytest.raises(TypeError, match="expected a function for 'BLOCK', got int"):
        mytriton.heuristics({"BLOCK": 3})
    with pytest.raises(TypeError, match="heuristics: expected a kernel, got function"):
        mytriton.heuristics({})(lambda x: None)
    wrong = mytriton.heuristics({"BLOK": lambda args: 8})(fill_kernel)
    with pytest.raises(TypeError, match="unexpected argument 'BLOK'"):
        wrong[1](torch.zeros(8), 8, 1.0)


def test_other_launchers_by_subclass() -> None:
    class Twice(mytriton.KernelInterface[Any]):
        def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            assert not warmup
            return [fill_kernel[grid](each, *args, **kwargs) for each in outs]

    outs = torch.zeros(2, 4)
    assert len(Twice()[(1,)](4, value=2.0)) == 2
    assert outs.tolist() == [[12.0] * 4] * 2
    assert isinstance(mytriton.jit(lambda x: None), mytriton.runtime.jit.KernelInterface)


# --- testing -------------------------------------------------------------------------------------


def test_do_bench() -> None:
    calls: list[bool] = []
    x = torch.zeros(3, requires_grad=True)
    x.grad = torch.ones(3)

    def fn() -> None:
        calls.append(x.grad is None)
        x.grad = torch.ones(3)

    given = {"warmup": 1, "rep": 5}
    mean = mytriton.testing.do_bench(fn, grad_to_none=[x], **given)
    assert 0 < mean < 100
    assert calls[0] is False and calls[-1] is True
    times = mytriton.testing.do_bench(fn, return_mode="all", **given)
    assert isinstance(times, list) and all(0 < each < 1000 for each in times)
    low, high = mytriton.testing.do_bench(fn, quantiles=[0, 1.0], **given)
    assert 0 < low <= high
    assert isinstance(mytriton.testing.do_bench(fn, quantiles=[0.5], **given), float)
    for mode in ("min", "max", "median"):
        assert isinstance(mytriton.testing.do_bench(fn, return_mode=mode, **given), float)


def test_do_bench_summaries() -> None:
    from mytriton.testing import _SUMMARIES, _quantile

    times = [1.0, 2.0, 3.0, 10.0]
    found = {name: summary(times) for name, summary in _SUMMARIES.items()}
    assert found == {"min": 1.0, "max": 10.0, "mean": 4.0, "median": 2.5, "all": times}
    assert [_quantile(times, q) for q in (0, 0.5, 0.9, 1)] == pytest.approx([1, 2.5, 7.9, 10])
    with pytest.raises(ValueError, match="return_mode must be one of"):
        mytriton.testing.do_bench(lambda: None, return_mode="average")
    with pytest.raises(ValueError, match="quantiles must be from 0 to 1, got 20"):
        mytriton.testing.do_bench(lambda: None, quantiles=[20])


def test_assert_close() -> None:
    close = mytriton.testing.assert_close
    nan = float("nan")
    close(torch.tensor([1.0, nan]), torch.tensor([1.009, nan]))
    close(1, 1.005)
    close(torch.tensor([100.0], dtype=torch.bfloat16), [101.0], rtol=0.01, atol=0)
    close(torch.ones(2), torch.ones(2) + 0.5, atol=lambda dtype: {torch.float32: 1.0}[dtype])
    wrong = [
        ((torch.ones(2), torch.ones(2) + 0.02), {}),
        ((torch.ones(2), torch.tensor([1.0, nan])), {}),
        ((torch.ones(2), torch.ones(3)), {}),
        ((3, 4), {"atol": 0.5}),
    ]
    for values, tolerances in wrong:
        with pytest.raises(AssertionError, match=r"^here"):
            close(*values, err_msg="here", **tolerances)


# --- install_as_triton ---------------------------------------------------------------------------

# A file as it is written for Triton.
FILE = """
import torch
import triton
import triton.language as tl
import triton.runtime.driver
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as older
from triton.language.standard import _log2
from triton.runtime.autotuner import Autotuner, autotune
from triton.runtime.jit import JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n) * _log2(BLOCK)
    tl.store(out + i, libdevice.abs(older.rint(value)), mask=i < n)


def run(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel())
    return out
"""

USE = """
x = torch.randn(100)
assert torch.equal(for_triton.run(x), (x * 7).round().abs())
assert for_triton.triton is mytriton and for_triton.tl is mytriton.language
assert isinstance(for_triton.kernel.fn, mytriton.JITFunction)
assert for_triton.autotune is for_triton.triton.autotune is mytriton.autotune
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "for_triton.py").write_text(FILE)
    return tmp_path


def test_a_file_written_for_triton(folder: Path) -> None:
    script = """
import mytriton, torch
mytriton.install_as_triton()
before = sys.meta_path[:]
mytriton.install_as_triton()
assert sys.meta_path == before
import for_triton
"""
    seen = """
import importlib
from mytriton.as_triton import MODULES
for name in MODULES:
    module = importlib.import_module(f"triton.{name}")
    assert module is importlib.import_module(f"mytriton.{name}") and "mytriton" in module.__name__
for missing in ("triton.compiler", "triton.arguments", "triton.language.semantic", "triton._C"):
    try:
        importlib.import_module(missing)
    except ModuleNotFoundError as error:
        assert f"No module named '{missing}': triton is mytriton here" in str(error)
        assert error.name == missing
    else:
        sys.exit(f"{missing} was found")
assert not [name for name in sys.modules if name.startswith("mytriton.triton")]
"""
    run_python(script + USE + seen, folder)


def test_torch_goes_on_as_without_triton(folder: Path) -> None:
    script = """
import mytriton, torch
mytriton.install_as_triton()
import for_triton
from torch._inductor.runtime import triton_compat
assert triton_compat.triton is not mytriton
import triton
assert triton is mytriton
compiled = torch.compile(for_triton.run, fullgraph=True, backend="aot_eager")
x = torch.randn(100)
assert torch.equal(compiled(x), for_triton.run(x))
"""
    run_python(script, folder)


def test_beside_an_installed_triton(folder: Path) -> None:
    """Ours wins where the other one has not been imported; where it has, nothing changes."""
    (folder / "triton").mkdir()
    (folder / "triton" / "__init__.py").write_text("")
    (folder / "triton" / "language.py").write_text("")
    script = "import mytriton, torch; mytriton.install_as_triton(); import for_triton"
    run_python(script + USE, folder)
    for first in ("import triton", "import triton.language; del sys.modules['triton']"):
        script = f"""
{first}
import mytriton
before, finders = dict(sys.modules), sys.meta_path[:]
try:
    mytriton.install_as_triton()
except RuntimeError as error:
    assert "triton" in str(error) and "is imported already, from" in str(error), error
else:
    sys.exit("installed")
assert [name for name in sys.modules if name.startswith("triton")] == [
    name for name in before if name.startswith("triton")
]
assert sys.meta_path == finders
"""
        run_python(script, folder)
