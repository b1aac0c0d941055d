"""Machine code of CUDA text: python benchmarks/sass.py [--target sm_90a]

Counts instructions of each kernel without running it, so no GPU is needed; NVRTC and nvdisasm are
(pip install nvidia-cuda-nvrtc nvidia-cuda-nvdisasm). `all`: of the whole text. `path`: of the
shortest way through it that takes every 128-bit access it can, which is what a thread runs where
nothing is masked off and pointers are aligned. 128-bit accesses, barriers and shuffles on that way.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
from importlib.metadata import files
from pathlib import Path

from kernels import (
    add_kernel,
    layer_norm_kernel,
    rms_norm_kernel,
    silu_kernel,
    softmax_kernel,
)

KERNELS = [
    ("add f32", add_kernel, ("*fp32", "*fp32", "*fp32", "i32"), 1024),
    ("silu f32", silu_kernel, ("*fp32", "*fp32", "i32"), 1024),
    ("silu bf16", silu_kernel, ("*bf16", "*bf16", "i32"), 1024),
    ("softmax 1024", softmax_kernel, ("*fp32", "*fp32", "i32"), 1024),
    ("softmax 4096", softmax_kernel, ("*fp32", "*fp32", "i32"), 4096),
    ("layer norm 1024", layer_norm_kernel, (*["*fp32"] * 4, "i32", "fp32"), 1024),
    ("rms norm 1024", rms_norm_kernel, (*["*fp32"] * 3, "i32", "fp32"), 1024),
]
WHOLE = re.compile(r"(LDG|STG)\S*\.128")


def nvdisasm() -> str:
    for each in files("nvidia-cuda-nvdisasm") or []:
        if each.name == "nvdisasm":
            return str(each.locate())
    raise SystemExit("no nvdisasm: pip install nvidia-cuda-nvdisasm")


def instructions(cubin: bytes, program: str) -> list[tuple[str, list[str]]]:
    """The text of each instruction, and the labels that stand before it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        done = subprocess.run([program, "-c", path], capture_output=True, text=True, check=True)
    found: list[tuple[str, list[str]]] = []
    labels: list[str] = []
    for line in done.stdout.splitlines():
        if label := re.match(r"(\.L\w+):", line):
            labels.append(label[1])
        elif code := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            found.append((code[1], labels))
            labels = []
    while found and re.search(r"\bNOP\b|BRA `\(\.L\w+\)$", found[-1][0]) and len(found) > 1:
        found.pop()  # the padding behind the last instruction
    return found


def shortest(code: list[tuple[str, list[str]]]) -> list[str]:
    """The way from the first instruction to an EXIT with the most whole accesses, and then the
    fewest instructions. Jumps back are not taken."""
    places = {label: i for i, (_, labels) in enumerate(code) for label in labels}
    best: dict[int, tuple[int, int, list[int]]] = {}
    for i in reversed(range(len(code))):
        text = code[i][0]
        target = re.search(r"\bBRA\S* .*`\((\.L\w+)\)", text)
        nexts = [i + 1] if text.startswith("@") or not re.match(r"(BRA|EXIT|RET)", text) else []
        if target and places.get(target[1], 0) > i:
            nexts.append(places[target[1]])
        ways = [best[n] for n in nexts if n in best]
        if re.search(r"\bEXIT\b", text):
            ways.append((0, 0, []))
        if ways:
            whole, length, way = min(ways, key=lambda each: each[:2])
            best[i] = (whole - bool(WHOLE.search(text)), length + 1, [i, *way])
    return [code[i][0] for i in best[0][2]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--accuracy", choices=["fast"], help="approximations of functions")
    parser.add_argument("--dump", help="a kernel's name: prints its code")
    options = parser.parse_args()
    program = shutil.which("nvdisasm") or nvdisasm()
    print(f"{options.target:16}" + "".join(f"{n:>10}" for n in COLUMNS))
    for name, kernel, types, block in KERNELS:
        compiled = kernel.compile(*types, BLOCK=block, accuracy=options.accuracy)
        compiled = compiled.for_target(options.target)
        code = instructions(compiled.asm["cubin"], program)
        if options.dump == name:
            print("\n".join(text for text, _ in code))
        way = shortest(code)
        counts = [len(code), len(way)]
        counts += [sum(bool(re.search(p, text)) for text in way) for p in COLUMNS.values() if p]
        print(f"{name:16}" + "".join(f"{count:10}" for count in counts), flush=True)


COLUMNS = {
    "all": "",
    "path": "",
    "128 bits": WHOLE.pattern,
    "barriers": r"BAR\.SYNC",
    "shuffles": "SHFL",
}


if __name__ == "__main__":
    main()
