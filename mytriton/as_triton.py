"""install_as_triton: ``import triton`` gives this package, for code that cannot be changed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

# What is at the same path here and there. All else of triton.* is not found.
MODULES = [
    "language",
    "language.core",
    "language.extra",
    "language.extra.cuda",
    "language.extra.cuda.libdevice",
    "language.extra.libdevice",
    "language.math",
    "language.random",
    "language.standard",
    "runtime",
    "runtime.autotuner",
    "runtime.driver",
    "runtime.jit",
    "testing",
    "tools",
    "tools.tensor_descriptor",
]


def _is_triton(name: str) -> bool:
    return name.partition(".")[0] == "triton"


@contextmanager
def _without_triton() -> Iterator[None]:
    """Importing triton fails meanwhile."""
    known = {name: module for name, module in list(sys.modules.items()) if _is_triton(name)}
    sys.modules["triton"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["triton"]
        sys.modules.update(known)


# torch looks for triton's compiler where there is a triton, and takes kernels of its type for some
# that it knows how to compile: it shall find none. It asks once, in these two places.


def _hide_from_torch() -> None:
    try:
        from torch.utils._triton import get_triton_version, has_triton_package
    except ImportError:  # another torch, which asks elsewhere
        return
    with _without_triton():  # the answers are kept
        has_triton_package()
        get_triton_version()


_TORCH_ASKS = "torch._inductor.runtime.triton_compat"


def _hiding(spec: ModuleSpec | None) -> ModuleSpec | None:
    """The module, executed while there is no triton."""
    if spec is not None and spec.loader is not None:
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            with _without_triton():
                execute(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec


class _Finder:
    """Answers for the modules that are missing. Without it Python would look into this package's
    folder and load its files a second time, under other names."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == _TORCH_ASKS:
            return _hiding(PathFinder.find_spec(name, path, target))
        if name.startswith("triton."):
            there = ", ".join(f"triton.{each}" for each in MODULES)
            raise ModuleNotFoundError(
                f"No module named '{name}': triton is mytriton here, which has {there}", name=name
            )
        return None


def install_as_triton() -> None:
    """From now on ``import triton`` and ``import triton.language`` give mytriton and its modules.

    They are the same modules under a second name. Once is enough, and twice does no harm.
    RuntimeError where the real triton has been imported: parts of it are in use then. torch goes
    on as if no triton were installed, so that torch.compile makes CPU code only.
    """
    package = __package__ or "mytriton"
    ours = {"triton": sys.modules[package]}
    for name in MODULES:
        ours[f"triton.{name}"] = importlib.import_module(f"{package}.{name}")
    for name, module in list(sys.modules.items()):
        if _is_triton(name) and module is not None and module is not ours.get(name):
            where = getattr(module, "__file__", None)
            raise RuntimeError(
                f"install_as_triton: {name} is imported already, from {where}; "
                "call install_as_triton() before anything imports triton"
            )
    if _Finder not in sys.meta_path:
        _hide_from_torch()
        sys.modules.update(ours)
        sys.meta_path.insert(0, _Finder)
