"""``triton.runtime``: what host code beside kernels imports from there."""

from mytriton.runtime.autotuner import Config, Heuristics, heuristics
from mytriton.runtime.driver import driver
from mytriton.runtime.jit import JITFunction, KernelInterface

__all__ = ["Config", "Heuristics", "JITFunction", "KernelInterface", "driver", "heuristics"]
