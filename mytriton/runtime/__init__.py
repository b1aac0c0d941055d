"""``triton.runtime``: what host code beside kernels imports from there."""

from mytriton.runtime.autotuner import Autotuner, Config, Heuristics, autotune, heuristics
from mytriton.runtime.driver import driver
from mytriton.runtime.jit import JITFunction, KernelInterface

__all__ = [
    "Autotuner",
    "Config",
    "Heuristics",
    "JITFunction",
    "KernelInterface",
    "autotune",
    "driver",
    "heuristics",
]
