"""Prints what this machine and its Python have, as JSON: python facts.py cuda|cpu

A process of its own, since it imports torch and starts the driver. Keys: machine, versions,
missing (what must be there and is not, each with a remedy), absent (what can do without).
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def at_least(found: str, *wanted: int) -> bool:
    return tuple(map(int, re.findall(r"\d+", found)[: len(wanted)])) >= wanted


def first_line(*command: str) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def program(name: str) -> str | None:
    """In this Python's scripts folder or on PATH: where setup.py looks."""
    scripts = sysconfig.get_path("scripts")
    return shutil.which(name, path=os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)]))


def compiles(compiler: str, text: str, *options: str) -> bool:
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *options, "-"]
    try:
        return subprocess.run(command, input=text.encode(), capture_output=True).returncode == 0
    except OSError:
        return False


def build_tools(versions: dict[str, Any], missing: list[str], absent: list[str]) -> None:
    """What pip install --no-build-isolation -e . needs."""
    pip = "nothing is downloaded here: install it in this environment, as by pip install"
    for name, least in (("setuptools", (77,)), ("pip", (21,))):
        versions[name] = version(name)
        if versions[name] is None:
            missing.append(f"{name} >= {least[0]}: {pip} {name}")
        elif not at_least(versions[name], *least):
            absent.append(f"{name} {versions[name]} is older than {least[0]}; it may do")
    cmake = program("cmake")
    found = first_line(cmake, "--version") if cmake else None
    versions["cmake"] = found.split()[-1] if found else None
    if found is None:
        missing.append(f"cmake >= 3.25: {pip} cmake")
    elif not at_least(versions["cmake"], 3, 25):
        missing.append(f"cmake >= 3.25, got {versions['cmake']} at {cmake}: {pip} cmake")
    ninja = program("ninja")
    versions["ninja"] = first_line(ninja, "--version") if ninja else None
    if ninja is None and program("make") is None:
        missing.append(f"ninja, or make: {pip} ninja")
    elif ninja is None:
        absent.append("ninja: make builds, on fewer cores")
    compiler = os.environ.get("CXX") or program("c++") or program("g++") or program("clang++")
    versions["compiler"] = first_line(compiler, "--version") if compiler else None
    if compiler is None:
        missing.append("a C++20 compiler (c++, g++ or clang++ on PATH, or CXX): g++ 11 or newer")
        return
    if not compiles(compiler, "#include <bit>\n#include <concepts>\n#include <span>\n"):
        missing.append(f"a compiler of C++20: {compiler} compiles none; g++ 11 or newer does")
        return
    include = sysconfig.get_path("include")
    if not compiles(compiler, "#include <Python.h>\n", f"-I{include}"):
        missing.append(f"Python's headers in {include}: Debian's python3-dev, for this version")
    if not compiles(compiler, "#include <omp.h>\n", "-fopenmp"):
        missing.append(f"OpenMP for {compiler}: libgomp comes with g++")


def python_packages(versions: dict[str, Any], missing: list[str], absent: list[str]) -> None:
    for name in ("numpy", "pytest"):
        versions[name] = version(name)
        if versions[name] is None:
            missing.append(f"{name}, which the tests import")
    versions["triton"] = version("triton")
    if versions["triton"] is None:
        absent.append("triton: Inductor needs it on CUDA, and benchmarks compare with it")
    if version("hypothesis") is None:
        absent.append("hypothesis: test files that import it are left out")


def nvrtc_folders() -> list[str]:
    """As mytriton/nvrtc.py finds them, without importing the package, which may not be built."""
    spec = importlib.util.spec_from_file_location("nvrtc", ROOT / "mytriton" / "nvrtc.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    folders = [*module.wheel_folders(), f"{home}/lib64", f"{home}/lib"]
    own = os.environ.get("MYTRITON_NVRTC_PATH")
    return own.split(":") if own else folders


def nvrtc(versions: dict[str, Any], missing: list[str]) -> None:
    found = [str(each) for f in nvrtc_folders() for each in sorted(Path(f).glob("libnvrtc.so*"))]
    linker = first_line("sh", "-c", "ldconfig -p | grep -o '/.*libnvrtc.so.*'")
    versions["nvrtc_files"] = found + ([linker] if linker else [])
    if not versions["nvrtc_files"]:
        missing.append(
            f"NVRTC (libnvrtc.so) is in none of {', '.join(nvrtc_folders())}, nor known to the "
            "linker: torch's CUDA builds bring it; else pip install nvidia-cuda-nvrtc, or set "
            "CUDA_HOME or MYTRITON_NVRTC_PATH"
        )


def torch_and_gpu(device: str, found: dict[str, Any]) -> None:
    versions, missing = found["versions"], found["missing"]
    try:
        import torch
    except ImportError as error:
        missing.append(f"torch >= 2.11, with CUDA: {error}")
        return
    versions["torch"], versions["torch_cuda"] = torch.__version__, torch.version.cuda
    if not at_least(torch.__version__, 2, 11):
        missing.append(f"torch >= 2.11, got {torch.__version__}")
    if device != "cuda":
        return
    driver = first_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    versions["driver"] = driver
    if not torch.cuda.is_available():
        why = "it is a build without CUDA" if torch.version.cuda is None else "see nvidia-smi"
        missing.append(f"a GPU that torch {torch.__version__} sees: {why}; driver {driver}")
        return
    of = torch.cuda.get_device_properties(0)
    found["machine"] |= {
        "gpu": of.name,
        "gpus": torch.cuda.device_count(),
        "capability": [of.major, of.minor],
        "multiprocessors": of.multi_processor_count,
        "memory_gib": round(of.total_memory / 2**30, 1),
    }


def built() -> dict[str, Any]:
    """What the built extension says: its version, and which NVRTC it loads."""
    import mytriton
    from mytriton import _C

    available = _C.nvrtc_available()
    maps = Path("/proc/self/maps").read_text()
    loaded = re.findall(r"(/\S*libnvrtc\.so\S*)", maps)
    return {
        "mytriton": mytriton.__version__,
        "mytriton_torch": _C.TORCH_BUILD_VERSION,
        "nvrtc": loaded[0] if available and loaded else None,
        "host_compiler": _C.find_host_compiler(),
    }


def facts(device: str) -> dict[str, Any]:
    found: dict[str, Any] = {"machine": {}, "versions": {}, "missing": [], "absent": []}
    cpu = ""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line for line in lines if line.startswith("model name")).partition(": ")[2]
    found["machine"] = {
        "system": platform.platform(),
        "cpu": cpu or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
    }
    found["versions"]["python"] = platform.python_version()
    commit = first_line("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    found["versions"]["commit"] = commit
    build_tools(found["versions"], found["missing"], found["absent"])
    python_packages(found["versions"], found["missing"], found["absent"])
    torch_and_gpu(device, found)
    if device == "cuda":
        nvrtc(found["versions"], found["missing"])
        if program("compute-sanitizer") is None:
            absent = "compute-sanitizer is not on PATH: its tests look in CUDA_HOME/bin, or skip"
            found["absent"].append(absent)
    return found


if __name__ == "__main__":
    print(json.dumps(built() if sys.argv[1] == "built" else facts(sys.argv[1])))
