"""Adding an op is adding one row: a copy of the project gets two and then has them everywhere.

This is the example of CONTRIBUTING.md, executed. It takes a build of the extension.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_golden import FILES

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / str(sys.implementation.cache_tag)  # where make and pip build it
# As they stand in CONTRIBUTING.md, which a test below checks.
ROWS = """\
PURE(square, Unary, Same, kExact | kWraps, "tl", "torch.square", "a times a; integers wrap.", \
(a * a), (a * a), NA)
    DERIVATIVE(square, "2 * g * a")
MATH(silu, Unary, "tl", "torch.nn.functional.silu", "a times sigmoid(a).", \
(a * sigmoidf(a)), 3.00, 5, 4)
    DERIVATIVE(silu, "g * tl.sigmoid(a) * (1 + a - r)")
"""

# Without -O2 most of the build is the reading of headers. (With it, g++ 12 warns of what it inlines
# from precompiled ones of the standard library, so the project's own build has none.)
PRECOMPILE = """
target_precompile_headers(mytriton_core PRIVATE <algorithm> <functional> <map> <optional> <set>
  <string> <unordered_map> <unordered_set> <vector> "${CMAKE_SOURCE_DIR}/csrc/ir/ir.h")
"""

CHECK = """
import os
import torch
import mytriton as triton
import mytriton.language as tl

@triton.jit
def kernel(x, i, squares, wrapped, smooth, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    tl.store(squares + at, tl.square(a))
    tl.store(wrapped + at, tl.square(tl.load(i + at)))
    tl.store(smooth + at, a.silu())

@triton.jit
def spelled_out(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.arange(0, BLOCK))
    tl.store(out + tl.arange(0, BLOCK), a * tl.sigmoid(a))

i = torch.randint(-(2**63), 2**63 - 1, (64,))
x = torch.cat([torch.randn(59), torch.tensor([0.0, -0.0, float("inf"), float("nan"), 1e-5])])
for floats, small in [("float32", "int32"), ("float64", "int64"), ("float16", "uint8")]:
    a, b = x.to(getattr(torch, floats)), i.to(getattr(torch, small))
    squares, wrapped, smooth = torch.empty_like(a), torch.empty_like(b), torch.empty_like(a)
    compiled = kernel[(1,)](a, b, squares, wrapped, smooth, BLOCK=64)
    expressions, ssa, cuda = compiled
    same = dict(rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(squares, a * a, **same)
    torch.testing.assert_close(wrapped, b * b, **same)
    torch.testing.assert_close(smooth, torch.nn.functional.silu(a), equal_nan=True)
    if floats != "float16":  # which would be rounded twice
        expected = torch.empty_like(a)
        spelled_out[(1,)](a, expected, BLOCK=64)
        torch.testing.assert_close(smooth, expected, **same)
    assert "square(" in str(expressions) and "silu(" in str(expressions), expressions
    assert "= square %" in str(ssa) and "= silu %" in str(ssa), ssa
    name = "sigmoid" if floats == "float64" else "sigmoidf"
    assert f"* {name}(v" in cuda and f" {name}(" in cuda.split("__global__")[0], cuda
    assert "* sigmoidf(v" in compiled.asm["cpu"], compiled.asm["cpu"]

@triton.jit
def folded(out):
    tl.store(out, tl.square(tl.cast(3, tl.int32)))

assert "store out, 9, none" in folded[(1,)](torch.zeros(1, dtype=torch.int32)).asm["ssa"]
x = torch.randn(9, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradgradcheck(triton.elementwise(lambda x: tl.square(x) * tl.silu(x)), x)
assert "a times a; integers wrap." in tl.square.__doc__
assert "a times sigmoid(a)." in tl.silu.__doc__
assert tl.math.silu is tl.silu
assert triton.__file__.startswith(os.getcwd())
print("square and silu work")
"""


# The rows stand before REDUCE(sum, ...), so the enumerators of all ops after them get other values.
# That matters only where an enumerator of Op is named, in the file's own text or in a header's, and
# where the table is expanded. (op.h, which all include, names some in an inline function.)
NAMES_OPS = re.compile(r"\bOp::|\bops\.def\b|\btakes_text\b|\busing enum\b")


def built_objects(ninja: str) -> dict[Path, list[Path]]:
    """Each object file of the build at hand that is up to date, with the files of the project that
    it was made from. None where another tool than ninja built it."""
    if not (BUILT / "build.ninja").exists():
        return {}
    command = [ninja, "-C", str(BUILT), "-t", "deps"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    objects = {}
    for entry in listed.split("\n\n"):
        head, *lines = entry.strip().splitlines() or [""]
        path = BUILT / head.partition(": ")[0]
        files = [(BUILT / line.strip()).resolve() for line in lines]
        files = [file for file in files if file.is_relative_to(ROOT / "csrc")]
        if not head.endswith("(VALID)") or not path.exists() or not files:
            continue
        if all(f.exists() and f.stat().st_mtime <= path.stat().st_mtime for f in files):
            objects[path] = files
    return objects


def take_what_is_built(copy: Path, ninja: str) -> str:
    """Removes from the copy the sources to which new rows cannot matter. Their object files are
    taken over by what this returns, for the copy's CMakeLists.txt."""
    lists = ""
    apart = [ROOT / "csrc" / "ir" / name for name in ("op.h", "ops.def")]
    for built, files in built_objects(ninja).items():
        target = built.relative_to(BUILT / "CMakeFiles").parts[0].removesuffix(".dir")
        texts = (re.sub(r"//.*", "", f.read_text()) for f in files if f not in apart)
        if target in ("mytriton_core", "_C") and not any(map(NAMES_OPS.search, texts)):
            for source in files:
                if source.suffix == ".cpp":  # several, of a unity build
                    (copy / source.relative_to(ROOT)).unlink()
            lists += f'target_sources({target} PRIVATE "{built}")\n'
    return lists


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}")
    assert found, f"{name} is needed to build"
    return found


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.Popen]]:
    """The copy and its build, which goes on while other tests run: of one process those of other
    files, of several those of the others."""
    copy = tmp_path_factory.mktemp("project")
    for name in ("CMakeLists.txt", "cmake", "csrc", "mytriton"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("_C*.so"))
        else:
            shutil.copy(source, copy)
    ninja = tool("ninja")
    with (copy / "CMakeLists.txt").open("a") as lists:
        lists.write(PRECOMPILE + take_what_is_built(copy, ninja))
    table = copy / "csrc" / "ir" / "ops.def"
    before, sum_row, after = table.read_text().partition("REDUCE(sum,")
    table.write_text(before + ROWS + sum_row + after)
    folder = str(copy / "build")
    configure = [tool("cmake"), "-S", str(copy), "-B", folder, "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}"]
    configure += ["-DCMAKE_BUILD_TYPE=None"]  # no -O2: built faster; it runs for a moment
    commands = (configure, [tool("cmake"), "--build", folder, "--target", "_C", "-j", "1"])
    with (copy / "log").open("w") as log:
        script = " && ".join(shlex.join(command) for command in commands)
        process = subprocess.Popen(["sh", "-c", script], stdout=log, stderr=log)
    yield copy, process
    process.kill()


@pytest.fixture(scope="session")
def copy_with_a_new_row(build: tuple[Path, subprocess.Popen]) -> Path:
    copy, process = build
    assert process.wait() == 0, (copy / "log").read_text()
    return copy


# The first test of this file starts the build. In one process, the others come last of all.


def test_contributing_shows_these_rows(build: tuple[Path, subprocess.Popen]) -> None:
    assert f"```\n{ROWS}```\n" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.last
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
    assert done.stdout == "square and silu work\n", done.stderr


@pytest.mark.last
def test_golden_files_do_not_depend_on_the_number_of_rows(copy_with_a_new_row: Path) -> None:
    text = FILES[0].read_text().partition("; ---\n")[0]
    command = [sys.executable, "-m", "mytriton.opt", "-"]
    outputs = [
        subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=folder)
        for folder in (ROOT, copy_with_a_new_row)
    ]
    assert outputs[0].stdout == outputs[1].stdout
