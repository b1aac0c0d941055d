"""Collects the CUDA text of every kernel that the suite compiles, and lets NVRTC judge it."""

import contextlib
import itertools
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import mytriton
from mytriton import _C
from mytriton.jit import JITFunction

ARCHITECTURES = ("sm_80", "sm_90a", "sm_100")

_turns = itertools.cycle(ARCHITECTURES)
_waiting: dict[str, str] = {}  # text -> the kernel's name
_seen: set[str] = set()


def compile_text(src: str, name: str, architectures: Sequence[str] = ARCHITECTURES) -> None:
    entry = re.search(r"__global__\nvoid (\w+)\(", src)
    assert entry, name
    for arch in architectures:
        assert _C.nvrtc_compile(src, entry[1], arch)[:4] == b"\x7fELF", arch


def record() -> None:
    """From now on, keeps the text of each kernel that is compiled."""
    compile_kernel = JITFunction._compile

    def recording(self: JITFunction, *args: object) -> mytriton.CompiledKernel:
        compiled = compile_kernel(self, *args)
        if self.fn.__module__.endswith(".evaluated"):  # never on CUDA; others have twins
            return compiled
        with contextlib.suppress(mytriton.CompileError, ValueError):  # blocks with no room
            if compiled.cuda_src not in _seen:
                _seen.add(compiled.cuda_src)
                _waiting[compiled.cuda_src] = compiled.name
        return compiled

    JITFunction._compile = recording


def compile_recorded() -> None:
    """Compiles each text not seen before, for one of the architectures in turn."""
    texts = dict(_waiting)
    _waiting.clear()
    if not _C.nvrtc_available():  # test_nvrtc.py says so
        return
    turns = [(next(_turns),) for _ in texts]
    with ThreadPoolExecutor() as threads:
        for _ in threads.map(compile_text, texts, texts.values(), turns):
            pass
