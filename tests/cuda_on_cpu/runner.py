"""Runs the CUDA text of kernels on the CPU, unchanged, and finds what is wrong with it.

    kernel = CudaText.of(add_kernel[1](x, y, out, n, BLOCK=256))
    x, y, out = kernel.run((4,), x, y, out, n)     # copies; what was given stays as it is

`run` raises a CudaError where the text does what CUDA does not define, or what depends on the order
of threads. The text is compiled by the host's C++ compiler against shim.h; making a CudaText is
cheap, and the first `run` compiles all that were made until then in one go.
"""

from __future__ import annotations

import atexit
import ctypes
import dataclasses
import hashlib
import os
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import mytriton
from mytriton import _C

HERE = Path(__file__).parent
CSRC = HERE.parent.parent / "csrc"

# Loads and stores call runtime.cpp, and so does undefined arithmetic. The sanitizers' own runtimes
# are not linked. Without -O0, a load that nothing uses would not be seen. No multiply-add is
# contracted, as --fmad=false asks of NVRTC.
KERNEL_FLAGS = [
    "-O0",
    "-w",
    "-fno-exceptions",
    "-ffp-contract=off",
    "-fsanitize=thread",
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero",
    "-fsanitize=float-cast-overflow,bounds,alignment,bool",
    "-fno-sanitize-recover=all",
]
RUNTIME_FLAGS = ["-O1", "-Wall", "-Wextra", "-Werror"]
MATH_FLAGS = ["-ffp-contract=off", "-fwrapv"]  # of rows, as the evaluator has them

# How the text spells a parameter's type -> what an argument is, its word in a launch's description.
POINTERS = {
    "float*": (torch.float32, "f4"),
    "double*": (torch.float64, "f8"),
    "f16*": (torch.float16, "x2"),
    "bf16*": (torch.bfloat16, "x2"),
    "signed char*": (torch.int8, "i1"),
    "short*": (torch.int16, "i2"),
    "int*": (torch.int32, "i4"),
    "long long*": (torch.int64, "i8"),
    "unsigned char*": (torch.uint8, "u1"),
    "unsigned short*": (torch.uint16, "u2"),
    "unsigned*": (torch.uint32, "u4"),
    "unsigned long long*": (torch.uint64, "u8"),
}
SCALARS: dict[str, Any] = {
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "bool": ctypes.c_bool,
    "signed char": ctypes.c_int8,
    "short": ctypes.c_int16,
    "int": ctypes.c_int32,
    "long long": ctypes.c_int64,
    "unsigned char": ctypes.c_uint8,
    "unsigned short": ctypes.c_uint16,
    "unsigned": ctypes.c_uint32,
    "unsigned long long": ctypes.c_uint64,
}


class CudaError(Exception):
    """What is wrong with a kernel's text. `kind` is one of

    compile                  the C++ compiler refuses it
    out of bounds            an access outside all arguments and shared memory
    race                     two threads access one place, one of them writes, and no barrier orders
                             them; or two blocks do
    uninitialised            a read of shared memory that the block did not write
    poison                   a result depends on undefined values: unwritten shared memory, or a
                             shuffle from a lane that does not take part
    order-dependent result   a result depends on the order in which threads or blocks run
    divergent barrier        some threads wait at a barrier that others never reach
    mask                     a shuffle's mask does not name the lanes that arrive there
    undefined                integer overflow, division by zero, a shift by too many bits, ...
    crash, timeout           none of these, but the process died or did not end
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class CudaText:
    """A kernel's text, which is run as its plan says: with so many threads, and so many bytes of
    shared memory where the text leaves their number to the launch."""

    def __init__(self, text: str, plan: str) -> None:
        self.text = text
        self.plan = plan
        self.threads = _number(r"^(?:lane|blocked) layout: (\d+) threads", plan)
        signature = re.search(r"__global__\s+void (\w+)\(([^)]*)\)", text)
        assert signature, f"no kernel in\n{text}"
        self.entry = signature[1]
        self.parameters = [tuple(p.strip().rsplit(" ", 1)) for p in signature[2].split(",")]
        self.key = "k" + hashlib.sha256(text.encode()).hexdigest()[:16]
        _batches.add(self)

    @classmethod
    def of(cls, compiled: mytriton.CompiledKernel) -> CudaText:
        return cls(compiled.cuda_src, compiled.asm["plan"])

    @classmethod
    def of_ssa(cls, source: str, passes: Sequence[str] = ()) -> CudaText:
        """Of a kernel that is written as SSA."""
        kernel = _C.parse_kernel(source, "kernel.mt")
        kernel.verify()
        kernel = kernel.run_passes(list(passes))
        return cls(kernel.stage("cuda"), kernel.stage("plan"))

    def replaced(self, old: str, new: str, count: int = 1) -> CudaText:
        """The same kernel with another text, for what should not work."""
        assert self.text.count(old) >= count, f"no {old!r} in\n{self.text}"
        return CudaText(self.text.replace(old, new, count), self.plan)

    def run(
        self,
        grid: tuple[int, ...],
        *arguments: Any,
        orders: int = 2,
        seed: int = 0,
        races: bool = True,
        equal_writes: bool = False,
        ucontext: bool = False,
        timeout: float = 60,
    ) -> list[torch.Tensor]:
        """The tensors among the arguments as they are after the launch.

        Arguments that share memory share it in the kernel too. Of a tensor, what lies between its
        first and its last element may be accessed. The launch is repeated in `orders` random orders
        of threads and blocks, drawn from `seed`. Without `races`, only results tell whether the
        order matters. With `equal_writes`, it is no race if all write the same value. `ucontext`
        selects the fibers that are used where there is no assembly for the processor. `timeout` is
        in seconds.
        """
        executable = _batches.executable(self, ucontext)
        launch = _Launch(self, arguments)
        sizes = [*grid, 1, 1][:3]
        head = [self.key, self.threads, *sizes, orders, seed]
        head += [int(races), int(equal_writes), *launch.words]
        description = " ".join(map(str, head)) + "\n"
        try:
            done = subprocess.run(
                [executable],
                input=description.encode() + b"".join(launch.contents),
                capture_output=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            raise CudaError("timeout", f"{self.entry} did not end in {timeout} s") from None
        if done.returncode == 0:
            return launch.results(done.stdout)
        parts = done.stderr.decode(errors="replace").split("\n", 2)
        if done.returncode != 1 or len(parts) != 3:
            raise CudaError("crash", f"{self.entry} ended with {done.returncode}: {done.stderr!r}")
        kind, line, message = parts
        raise CudaError(kind, f"{self.entry}: {message.strip()}{self._line(int(line))}")

    def _line(self, number: int) -> str:
        return f"\n{number:5} | {self.text.splitlines()[number - 1]}" if number else ""

    def source(self) -> str:
        """The text between what makes it a kernel of a batch."""
        text, dynamic = self.text, re.compile(r"extern (__shared__ .* mt_shared)\[\];")
        if dynamic.search(text):
            size = _number(r"^(\d+) bytes of shared buffers", self.plan)
            text = dynamic.sub(rf"\1[{size}];", text)
        values = []
        for i, (kind, _) in enumerate(self.parameters):
            values.append(f"*static_cast<{kind}*>(arguments[{i}])")
        return "\n".join(
            [
                "#undef MT_KEY",
                f'#define MT_KEY "{self.key}"',
                f"MT_TEXT_BEGIN({self.key})",
                f'#line 1 "{self.entry}.cu"',
                text,
                "MT_CALL(void* const* arguments) {",
                f"    {self.entry}({', '.join(values)});",
                "}",
                f"MT_TEXT_END({self.key})",
                "",
            ]
        )


def _number(pattern: str, plan: str) -> int:
    found = re.search(pattern, plan, re.MULTILINE)
    assert found, plan
    return int(found[1])


@dataclasses.dataclass
class _Memory:
    """The bytes [first, last) of the address space, which one storage's tensors share."""

    first: int
    last: int
    element_bytes: int

    def contents(self) -> bytes:
        return ctypes.string_at(self.first, self.last - self.first)


class _Launch:
    """The arguments as runtime.cpp wants to be told them, and back."""

    def __init__(self, kernel: CudaText, arguments: tuple[Any, ...]) -> None:
        if len(arguments) != len(kernel.parameters):
            expected = ", ".join(" ".join(each) for each in kernel.parameters)
            raise TypeError(
                f"{kernel.entry}: expected ({expected}), got {len(arguments)} arguments"
            )
        self.tensors: list[torch.Tensor] = []
        self.indices: list[int] = []  # of each tensor's memory
        self.memories: list[_Memory] = []
        by_storage: dict[int, int] = {}
        for (kind, name), value in zip(kernel.parameters, arguments, strict=True):
            if kind in POINTERS:
                held = torch.uint8 if value.dtype == torch.bool else value.dtype
                assert held == POINTERS[kind][0], f"{name}: {kind}, got {value.dtype}"
                self._add(value, by_storage)
        memories = []
        for memory in self.memories:
            size = memory.last - memory.first
            memories += [size, memory.first % 64, memory.element_bytes]
        words: list[Any] = [len(self.memories), *memories, len(arguments)]
        tensors = iter(zip(self.tensors, self.indices, strict=True))
        for (kind, name), value in zip(kernel.parameters, arguments, strict=True):
            if kind in POINTERS:
                tensor, index = next(tensors)
                offset = tensor.data_ptr() - self.memories[index].first if tensor.numel() else 0
                words += [POINTERS[kind][1], name, index, offset, _extent(tensor)]
            else:
                bits = bytes(SCALARS[kind](value)).ljust(8, b"\0")
                words += ["s", struct.unpack("<Q", bits)[0]]
        self.words = words
        self.contents = [each.contents() for each in self.memories]

    def _add(self, tensor: torch.Tensor, by_storage: dict[int, int]) -> None:
        first = tensor.data_ptr()
        last = first + _extent(tensor) * tensor.element_size()
        storage = tensor.untyped_storage().data_ptr()
        index = by_storage.get(storage, len(self.memories)) if first < last else len(self.memories)
        if index == len(self.memories):
            self.memories.append(_Memory(first, last, tensor.element_size()))
            if first < last:
                by_storage[storage] = index
        memory = self.memories[index]
        memory.first, memory.last = min(memory.first, first), max(memory.last, last)
        memory.element_bytes = min(memory.element_bytes, tensor.element_size())
        self.tensors.append(tensor)
        self.indices.append(index)

    def results(self, output: bytes) -> list[torch.Tensor]:
        assert len(output) == sum(len(each) for each in self.contents)
        buffers, start = [], 0
        for memory in self.memories:
            size = memory.last - memory.first
            buffers.append(bytearray(output[start : start + size]))
            start += size
        out = []
        for tensor, index in zip(self.tensors, self.indices, strict=True):
            if tensor.numel() == 0:
                out.append(torch.empty_like(tensor))
                continue
            offset = tensor.data_ptr() - self.memories[index].first
            count = _extent(tensor)
            flat = torch.frombuffer(buffers[index], dtype=tensor.dtype, count=count, offset=offset)
            out.append(flat.as_strided(tensor.shape, tensor.stride()))
        return out


def _extent(tensor: torch.Tensor) -> int:
    """Elements from the first to the last one in memory."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))


class _Batches:
    """Compiles texts: all that wait, whenever one of them is needed."""

    def __init__(self) -> None:
        self._waiting: dict[str, CudaText] = {}
        self._objects: dict[str, Path] = {}  # key of a text -> its batch
        self._errors: dict[str, str] = {}
        self._parts: dict[str, subprocess.Popen[str]] = {}
        self._folder: Path | None = None

    def add(self, kernel: CudaText) -> None:
        if kernel.key not in self._objects and kernel.key not in self._errors:
            self._waiting[kernel.key] = kernel

    def executable(self, kernel: CudaText, ucontext: bool) -> Path:
        runtime_flags = ["-DMT_UCONTEXT"] if ucontext else []
        parts = [
            self._part("runtime.cpp", runtime_flags),
            self._part("device_math.cpp", MATH_FLAGS),
        ]
        if kernel.key in self._waiting:
            self._compile_all()
        if kernel.key in self._errors:
            raise CudaError("compile", self._errors[kernel.key])
        batch = self._objects[kernel.key]
        executable = batch.with_suffix(".ucontext" if ucontext else "")
        if not executable.exists():
            objects = [self._finished(part) for part in parts]
            link = [_compiler(), str(batch), *objects, "-o", str(executable)]
            subprocess.run(link, check=True)
        return executable

    def _compile_all(self) -> None:
        kernels, self._waiting = list(self._waiting.values()), {}
        batch, error = self._compile(kernels)
        if error and len(kernels) > 1:
            alone = [(each, self._compile([each])[1]) for each in kernels]
            self._errors |= {each.key: error for each, error in alone if error}
            kernels = [each for each, error in alone if not error]
            batch, error = self._compile(kernels)
        for each in kernels:
            if error:
                self._errors[each.key] = error
            else:
                self._objects[each.key] = batch

    def _compile(self, kernels: list[CudaText]) -> tuple[Path, str]:
        """The object file of these kernels, and what the compiler says against it."""
        keys = "".join(each.key for each in kernels)
        source = self._path(hashlib.sha256(keys.encode()).hexdigest()[:16] + ".cpp")
        entries = [f"    MT_ENTRY({each.key})," for each in kernels]
        lines = ['#include "shim.h"', *(each.source() for each in kernels)]
        lines += ['#line 1 "entries"', "const MtEntry mt_entries[] = {", *entries, "};"]
        lines += [f"const int mt_entry_count = {len(kernels)};", ""]
        source.write_text("\n".join(lines))
        batch = source.with_suffix(".o")
        run = subprocess.run(
            [*_compile_command(KERNEL_FLAGS, source), str(batch)], capture_output=True, text=True
        )
        return batch, run.stderr if run.returncode else ""

    def _part(self, name: str, flags: list[str]) -> subprocess.Popen[str]:
        """The compilation of a file of ours, which goes on while kernels are compiled."""
        key = name + "".join(flags)
        if key not in self._parts:
            target = self._path(hashlib.sha256(key.encode()).hexdigest()[:16] + ".o")
            command = _compile_command([*RUNTIME_FLAGS, *flags], HERE / name)
            self._parts[key] = subprocess.Popen(
                [*command, str(target)], stderr=subprocess.PIPE, text=True
            )
        return self._parts[key]

    def _finished(self, part: subprocess.Popen[str]) -> str:
        _, errors = part.communicate() if part.returncode is None else ("", "")
        if part.returncode:
            raise RuntimeError(f"the runtime does not compile:\n{errors}")
        return str(part.args[-1])

    def _path(self, name: str) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="cuda_on_cpu-"))
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder / name


_batches = _Batches()


def _compiler() -> str:
    return os.environ.get("CXX", "c++")


def _compile_command(flags: list[str], source: Path) -> list[str]:
    paths = ["-I", str(HERE), "-I", str(CSRC)]
    return [_compiler(), "-std=c++20", *flags, *paths, "-c", str(source), "-o"]
