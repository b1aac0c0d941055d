"""CompiledKernel: one specialisation of a kernel, with the text of every stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mytriton import _C


class Listing(tuple[str, ...]):
    """The instructions of one stage, a line each; ``str`` gives the whole text."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(self)


class Asm(Mapping[str, str]):
    """Stage name -> its text, made when asked for: ssa, plan, cpu_plan, cuda, cpu."""

    def __init__(self, artifact: _C.Artifact) -> None:
        self._artifact = artifact

    def __getitem__(self, stage: str) -> str:
        if stage not in _C.stage_names():
            raise KeyError(f"no stage {stage!r}; there are {', '.join(self)}")
        return self._artifact.stage(stage)

    def __iter__(self) -> Iterator[str]:
        return iter(_C.stage_names())

    def __len__(self) -> int:
        return len(_C.stage_names())


class CompiledKernel:
    """What a launch returns: immutable, and the same object for every launch of its kind.

    Unpacks as ``expression_ops, ssa_ops, cuda_src = kernel[grid](...)``. ``ssa_ops`` is the
    optimised SSA that backends receive; ``cuda_src`` the very text that NVRTC compiles. ``asm``
    maps stages to text. Getting ``cuda_src`` raises ValueError where the lane layout cannot hold
    the kernel's blocks (several widths, or more than 1024 lanes).
    """

    __slots__ = ("_artifact", "asm", "name", "op_name")

    _artifact: _C.Artifact
    asm: Asm
    name: str
    op_name: str | None  # "mytriton::name_hash"; None: compiled for NumPy arrays, cannot run

    def __init__(self, artifact: _C.Artifact, name: str, op_name: str | None) -> None:
        put = object.__setattr__
        put(self, "_artifact", artifact)
        put(self, "name", name)
        put(self, "op_name", op_name)
        put(self, "asm", Asm(artifact))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a CompiledKernel is immutable")

    @property
    def expression_ops(self) -> Listing:
        return Listing(self._artifact.expressions().splitlines())

    @property
    def ssa_ops(self) -> Listing:
        return Listing(self._artifact.ssa_body().splitlines())

    @property
    def cuda_src(self) -> str:
        return self._artifact.stage("cuda")

    def __iter__(self) -> Iterator[Any]:
        yield self.expression_ops
        yield self.ssa_ops
        yield self.cuda_src

    def __repr__(self) -> str:
        return f"<mytriton.CompiledKernel {self.op_name or self.name}>"
