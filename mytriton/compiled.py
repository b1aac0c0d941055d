"""CompiledKernel: one specialisation of a kernel, with the text of every stage."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from mytriton import _C
from mytriton.explain import explain


class Listing(tuple[str, ...]):
    """The instructions of one stage, a line each; ``str`` gives the whole text."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(self)


class Asm(Mapping[str, Any]):
    """Stage name -> what it made, when asked for.

    ssa, plan, cpu_plan, cuda and cpu are text. ptx (text) and cubin (bytes) come from NVRTC and
    need no GPU; RuntimeError names the pip package where there is no NVRTC.
    """

    def __init__(self, artifact: _C.Artifact, target: str) -> None:
        self._artifact = artifact
        self._target = target
        self._images: dict[str, Any] = {}

    def __getitem__(self, stage: str) -> Any:
        if stage in _C.stage_names():
            return self._artifact.stage(stage)
        if stage not in ("ptx", "cubin"):
            raise KeyError(f"no stage {stage!r}; there are {', '.join(self)}")
        if stage not in self._images:
            virtual = self._target.replace("sm_", "compute_")
            image = self._artifact.cuda_image(virtual if stage == "ptx" else self._target)
            # PTX ends in a zero byte, for C.
            self._images[stage] = image.rstrip(b"\0").decode() if stage == "ptx" else image
        return self._images[stage]

    def __iter__(self) -> Iterator[str]:
        return iter([*_C.stage_names(), "ptx", "cubin"])

    def __len__(self) -> int:
        return len(_C.stage_names()) + 2


_DEFAULT_TARGET = "sm_80"


def default_target() -> str:
    """The architecture of the current CUDA device, where torch has started CUDA; else sm_80."""
    if not torch.cuda.is_initialized():
        return _DEFAULT_TARGET
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


def check_target(target: str) -> str:
    if not re.fullmatch(r"sm_\d{2,3}[af]?", target):
        raise ValueError(f"target: expected an architecture such as 'sm_90a', got {target!r}")
    return target


def op_name_of(artifact: _C.Artifact, module: str, kernel: str) -> str:
    """The name of a kernel's op, without the namespace."""
    # The hash covers all that the op does and its signature, so equal names are equal ops, in
    # this process and in torch's caches on disk.
    identity = f"{module}\n{artifact.stage('ssa')}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in kernel)
    return f"{name.strip('_') or 'kernel'}_{digest}"


class CompiledKernel:
    """What a launch returns: immutable, and the same object for every launch of its kind.

    Unpacks as ``expression_ops, ssa_ops, cuda_src = kernel[grid](...)``. ``ssa_ops`` is the
    optimised SSA that backends receive; ``cuda_src`` the very text that NVRTC compiles. ``asm``
    maps stages to text. Getting ``cuda_src`` raises CompileError where a program on CUDA has
    no room for the kernel's blocks, ValueError where ``layout="lane"`` cannot hold them.
    """

    __slots__ = ("_artifact", "asm", "name", "op_name", "target")

    _artifact: _C.Artifact
    asm: Asm
    name: str
    op_name: str | None  # "mytriton::name_hash"; None: compiled for NumPy arrays, cannot run
    target: str  # of asm["ptx"] and asm["cubin"]; launches take the device's own

    def __init__(
        self, artifact: _C.Artifact, name: str, op_name: str | None, target: str | None = None
    ) -> None:
        put = object.__setattr__
        put(self, "_artifact", artifact)
        put(self, "name", name)
        put(self, "op_name", op_name)
        put(self, "target", target or default_target())
        put(self, "asm", Asm(artifact, self.target))

    def for_target(self, target: str) -> CompiledKernel:
        """The same kernel, whose ptx and cubin are for another architecture, e.g. ``sm_90a``."""
        return CompiledKernel(self._artifact, self.name, self.op_name, check_target(target))

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

    def explain(self, stages: Iterable[str] = ("ssa", "cuda", "cpu")) -> str:
        """Each Python line of the kernel, and below it what it became in these stages."""
        return explain(self._artifact, stages)

    def __iter__(self) -> Iterator[Any]:
        yield self.expression_ops
        yield self.ssa_ops
        yield self.cuda_src

    def __repr__(self) -> str:
        return f"<mytriton.CompiledKernel {self.op_name or self.name}>"
