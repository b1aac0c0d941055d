"""Kernels in Triton's language, compiled by a C++ core, run on torch tensors on CPU and CUDA."""

import torch as _torch

from mytriton import torch_build as _torch_build

_torch_build.check(_torch.__version__)

from mytriton import _C, language, runtime, testing, tools  # noqa: E402
from mytriton import nvrtc as _nvrtc  # noqa: E402
from mytriton.as_triton import install_as_triton  # noqa: E402
from mytriton.compiled import CompiledKernel  # noqa: E402
from mytriton.constexpr_function import constexpr_function  # noqa: E402
from mytriton.custom_op import Op, op  # noqa: E402
from mytriton.elementwise import elementwise  # noqa: E402
from mytriton.errors import CompileError  # noqa: E402
from mytriton.jit import JITFunction, jit  # noqa: E402
from mytriton.language import cdiv, next_power_of_2  # noqa: E402
from mytriton.runtime import Config, KernelInterface, autotune, heuristics  # noqa: E402
from mytriton.runtime.allocation import set_allocator  # noqa: E402

_C.set_nvrtc_search_paths(_nvrtc.wheel_folders())

# The version of Triton whose language this is, for code that compares it; then this package's own.
__version__ = "3.9.0+mytriton.0.1.0"
__all__ = [
    "CompileError",
    "CompiledKernel",
    "Config",
    "JITFunction",
    "KernelInterface",
    "Op",
    "autotune",
    "cdiv",
    "constexpr_function",
    "elementwise",
    "heuristics",
    "install_as_triton",
    "jit",
    "language",
    "next_power_of_2",
    "op",
    "runtime",
    "set_allocator",
    "testing",
    "tools",
]
