"""Which modules do not change while a program runs: their functions are called as they are."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

_INSTALLED = {"mytriton", "torch", "numpy", "pytest", "_pytest"}
_STANDARD = os.path.dirname(os.__file__) + os.sep


def is_library(module: Mapping[str, Any]) -> bool:
    """Whether these are the names of a module of Python, torch, NumPy or mytriton."""
    name = module.get("__name__")
    top = name.partition(".")[0] if isinstance(name, str) else ""
    if top in _INSTALLED:
        return True
    if top not in sys.stdlib_module_names:
        return False
    # A user's token.py or code.py is not the standard library's.
    file = module.get("__file__")
    if file is None:
        return module.get("__spec__") is not None
    return str(file).startswith(_STANDARD) and "-packages" not in str(file)[len(_STANDARD) :]


def is_library_class(kind: type) -> bool:
    """Whether the class is defined in such a module, or in C."""
    if not kind.__flags__ & _HEAP_TYPE:
        return True
    module = sys.modules.get(kind.__module__)
    return module is not None and is_library(vars(module))


_HEAP_TYPE = 1 << 9
