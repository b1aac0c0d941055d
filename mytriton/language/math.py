"""``tl.math``: the elementwise functions of ``tl`` again, under Triton's other name for them."""

from __future__ import annotations

from typing import Any

from mytriton import _C
from mytriton import language as _language

_ROWS = [row["name"] for row in _C.op_rows() if row["python"] == "tl" and row["kind"] == "pure"]
__all__ = sorted({*_ROWS, "div_rn", "fdiv", "sqrt_rn"})


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(_language, name)
    raise AttributeError(f"tl.math has no function '{name}'; there are {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
