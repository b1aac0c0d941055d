"""``tl.core``, where Triton keeps most of ``tl``. Here, all of ``tl`` again."""

from __future__ import annotations

from typing import Any

from mytriton import language as _language


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _language.__all__
    if name in _language.__all__:
        return getattr(_language, name)
    raise AttributeError(f"tl has no '{name}'")


def __dir__() -> list[str]:
    return list(_language.__all__)
