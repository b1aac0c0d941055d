"""Adding an op is adding one row: a copy of the project gets `rsqrt` and then has it everywhere.

This is the example of CONTRIBUTING.md, executed. It takes a build of the extension.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from test_golden import FILES

ROOT = Path(__file__).parent.parent
ROW = (
    'PURE(rsqrt, Unary, Same, kCostly, "tl", "One over the square root of a.", '
    "(1.0f / sqrtf(a)), NA, NA)\n"
)

CHECK = """
import os
import numpy
import torch
import mytriton as triton
import mytriton.language as tl

@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.rsqrt(tl.load(x + at)))

x = torch.cat([torch.rand(60), torch.tensor([0.0, -1.0, float("inf"), 1e-45])])
out = torch.empty(64)
expressions, ssa, cuda = kernel[(1,)](x, out, BLOCK=64)
with numpy.errstate(all="ignore"):  # torch's own sqrt is not always correctly rounded
    expected = numpy.float32(1) / numpy.sqrt(x.numpy())
numpy.testing.assert_array_equal(out.numpy(), expected)
assert "rsqrt(" in str(expressions), expressions
assert "= rsqrt %" in str(ssa), ssa
assert "(1.0f / sqrtf(v" in cuda, cuda
assert "(1.0f / sqrtf(v" in kernel[(1,)](x, out, BLOCK=64).asm["cpu"]
assert "One over the square root" in tl.rsqrt.__doc__
assert triton.__file__.startswith(os.getcwd())
print("rsqrt works")
"""


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}")
    assert found, f"{name} is needed to build"
    return found


@pytest.fixture(scope="module")
def copy_with_a_new_row(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("project")
    for name in ("CMakeLists.txt", "cmake", "csrc", "mytriton"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("_C*.so"))
        else:
            shutil.copy(source, copy)
    table = copy / "csrc" / "ir" / "ops.def"
    before, exp, after = table.read_text().partition("PURE(exp,")
    table.write_text(before + ROW + exp + after)
    build = copy / "build"
    configure = [tool("cmake"), "-S", copy, "-B", build, "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += ["-DCMAKE_CXX_FLAGS_RELEASE=-O0"]  # built faster; it runs for a moment
    for command in (configure, [tool("cmake"), "--build", build, "--target", "_C"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return copy


@pytest.mark.parametrize("engine", ["compiled", "evaluated"])
def test_one_row_is_enough(copy_with_a_new_row: Path, engine: str) -> None:
    environment = {**os.environ, "MYTRITON_EVALUATE": "1" if engine == "evaluated" else ""}
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        capture_output=True,
        text=True,
        cwd=copy_with_a_new_row,  # whose mytriton is then the one that is imported
        env=environment,
    )
    assert done.stdout == "rsqrt works\n", done.stderr


def test_golden_files_do_not_depend_on_the_number_of_rows(copy_with_a_new_row: Path) -> None:
    text = FILES[0].read_text().partition("; ---\n")[0]
    command = [sys.executable, "-m", "mytriton.opt", "-"]
    outputs = [
        subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=folder)
        for folder in (ROOT, copy_with_a_new_row)
    ]
    assert outputs[0].stdout == outputs[1].stdout
