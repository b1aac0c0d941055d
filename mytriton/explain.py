"""One kernel through every stage, under the Python lines that it came from."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable
from pathlib import Path

from mytriton import _C
from mytriton.errors import CompileError
from mytriton.source import Place

_SIDE_BY_SIDE = ("ssa", "cuda", "cpu")


def _by_line(artifact: _C.Artifact, stage: str) -> dict[tuple[str, int], list[str]]:
    """Source line -> the lines of the stage that it became, each once."""
    found: dict[tuple[str, int], list[str]] = {}
    places: Iterable[Place | None] = artifact.stage_places(stage)
    for text, place in zip(artifact.stage(stage).splitlines(), places, strict=True):
        if place is None:
            continue
        lines = found.setdefault(place[:2], [])
        if text.strip() not in lines:  # strips are printed twice
            lines.append(text.strip())
    return found


def explain(artifact: _C.Artifact, stages: Iterable[str] = _SIDE_BY_SIDE) -> str:
    """Each Python line that made something, in the order of the SSA, and below it what it became.

    `stages`: of ``ssa``, ``cuda`` and ``cpu``. Lines that no Python line made (the frame of the
    emitted functions) are left out: ``compiled.asm`` has the whole texts.
    """
    stages = list(stages)
    for stage in stages:
        if stage not in _SIDE_BY_SIDE:
            expected = ", ".join(_SIDE_BY_SIDE)
            raise ValueError(f"stages: expected some of {expected}; got {stage!r}")
    tables = {stage: _by_line(artifact, stage) for stage in stages}
    places = sorted({place for table in tables.values() for place in table})
    width = max((len(stage) for stage in stages), default=0)
    out: list[str] = []
    file = ""
    for place in places:
        if place[0] != file:
            file = place[0]
            out += [file]
        source = linecache.getline(*place).strip()
        out += ["", f"{place[1]:5}  {source}"]
        for stage, table in tables.items():
            out += [f"       {stage:{width}}  {line}" for line in table.get(place, [])]
    return "\n".join(out)


# Stage -> the file that MYTRITON_DUMP gets.
_FILES = {
    "ssa": "ssa.mt",
    "plan": "plan.txt",
    "cpu_plan": "cpu_plan.txt",
    "cuda": "kernel.cu",
    "cpu": "kernel.cpp",
}


def dump(artifact: _C.Artifact, name: str) -> None:
    """Writes all stages to the folder ``$MYTRITON_DUMP/<name>``, where the variable is set.

    ``kernel.cpp`` is what the host compiler gets, with the text that precedes the kernel. Where a
    stage cannot express the kernel (blocks too large for a program on CUDA), its file says why.
    """
    root = os.environ.get("MYTRITON_DUMP")
    if not root:
        return
    folder = Path(root) / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "expressions.txt").write_text(artifact.expressions() + "\n")
    for stage, file in _FILES.items():
        try:
            text = artifact.stage(stage)
        except (CompileError, ValueError) as error:
            text = f"// {error}"
        if stage == "cpu":
            text = _C.cpu_translation_unit(text)
        (folder / file).write_text(text + "\n")
