"""Data flows one way: which layer of csrc may include which, and what every source file has."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "csrc"

# Layer -> the layers whose headers it may include, beside its own.
BELOW = {
    "ir": set(),
    "front": {"ir"},
    "passes": {"ir"},
    "plan": {"ir"},
    "disk": set(),
    "cuda": {"ir", "front", "passes", "plan", "disk"},
    "cpu": {"ir", "front", "passes", "plan", "disk"},
    "cache": {"ir", "front", "passes", "plan", "disk", "cuda", "cpu"},
    "torch": {"ir", "front", "passes", "plan", "disk", "cuda", "cpu", "cache"},
}
TORCH_HEADERS = re.compile(r"(ATen|torch|c10|caffe2|pybind11)/|Python\.h$")
# The driver and NVRTC are found at run time; their headers would need a toolkit at build time.
CUDA_HEADERS = re.compile(r"(.*/)?(cuda\w*|nvrtc|nvJitLink|cupti)\.h$|cuda/std/")
INCLUDE = re.compile(r'^\s*#\s*(?:include|import)\b\s*(?:<([^>]+)>|"([^"]+)"|(\S.*))', re.MULTILINE)


def sources(*folders: str, suffixes: tuple[str, ...]) -> list[Path]:
    found = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in suffixes]
    assert found
    return sorted(p for p in found if "__pycache__" not in p.parts)


CPP = sources("csrc", suffixes=(".h", ".cpp", ".def", ".c", ".cc", ".cu"))
ALL = sources(
    *("csrc", "mytriton", "tests"),
    suffixes=(".h", ".cpp", ".def", ".c", ".cc", ".cu", ".py", ".pyi", ".mt"),
)


def includes(text: str) -> list[tuple[str, bool]]:
    """(header, whether it stands in quotes) of each #include line."""
    found = []
    for system, own, other in INCLUDE.findall(text):
        assert not other, f"cannot tell what is included: {other}"
        found.append((system or own, bool(own)))
    return found


def layer_of(path: Path) -> str:
    return path.relative_to(CSRC).parts[0]


def test_every_layer_is_known() -> None:
    assert {p.name for p in CSRC.iterdir() if p.is_dir()} <= BELOW.keys()
    assert all(len(p.relative_to(CSRC).parts) == 2 for p in CPP), "layers have no subfolders"


def test_layers_include_only_what_is_below() -> None:
    wrong = []
    for path in CPP:
        allowed = BELOW[layer_of(path)] | {layer_of(path)}
        for header, quoted in includes(path.read_text()):
            if not quoted:
                continue
            # Own headers are named from csrc/, so that the layer can be read off.
            if header.split("/")[0] not in allowed or not (CSRC / header).is_file():
                wrong.append(f"{path.relative_to(ROOT)} includes {header}")
    assert wrong == []


def test_only_the_torch_layer_sees_torch() -> None:
    seen = set()
    for path in CPP:
        for header, _ in includes(path.read_text()):
            if TORCH_HEADERS.match(header) and not (CSRC / header).is_file():
                seen.add(layer_of(path))
    assert seen == {"torch"}


def test_nobody_needs_a_cuda_toolkit() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} includes {header}"
        for path in [*CPP, *sources("tests", suffixes=(".h", ".cpp", ".c"))]
        for header, quoted in includes(path.read_text())
        if CUDA_HEADERS.match(header) and not (quoted and (CSRC / header).is_file())
    ]
    assert wrong == []


def test_layers_below_torch_do_not_use_its_names() -> None:
    """A declaration written by hand would escape the include check."""
    names = re.compile(r"\b(at|c10|torch|pybind11|py)::|\bPy[A-Z]\w+\(")
    for path in CPP:
        if layer_of(path) != "torch":
            code = re.sub(r"//.*", "", path.read_text())
            assert not names.search(code), path


@pytest.mark.parametrize(
    "text", ['#include "a/b.h"\n', "  # include <x.h>  // why\n", "#import <x>"]
)
def test_include_lines_are_found(text: str) -> None:
    assert len(includes(f"int a;\n{text}")) == 1


def test_files_say_what_they_are_for() -> None:
    opening = {".py": '"""', ".pyi": '"""', ".mt": "; "}
    silent = []
    for path in ALL:
        lines = path.read_text().splitlines() or [""]
        mark = opening.get(path.suffix, "// ")
        if not lines[0].startswith(mark) or len(lines[0]) < len(mark) + 10:
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []


def test_files_are_short_and_finished() -> None:
    unfinished = re.compile("TO" + "DO|FIX" + "ME")
    long, marked = [], []
    for path in ALL:
        text = path.read_text()
        if text.count("\n") > 500:
            long.append(str(path.relative_to(ROOT)))
        if unfinished.search(text):
            marked.append(str(path.relative_to(ROOT)))
    assert (long, marked) == ([], [])


def test_no_file_is_named_after_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [p for p in ALL if p.stem in vague or vague & set(p.relative_to(ROOT).parts)] == []
