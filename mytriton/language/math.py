"""``tl.math``: the elementwise functions of ``tl`` again, under Triton's other name for them."""

from __future__ import annotations

from typing import Any

from mytriton import _C
from mytriton import language as _language

__all__ = ["clamp", "div_rn", "fdiv", "maximum", "minimum", "sqrt_rn"]
__all__ += [
    _row["name"] for _row in _C.op_rows() if _row["python"] == "tl" and _row["kind"] == "pure"
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(_language, name)
    raise AttributeError(
        f"tl.math has no function '{name}'; there are {', '.join(sorted(__all__))}"
    )


def __dir__() -> list[str]:
    return sorted(__all__)
