"""``tl.standard``, where Triton keeps what is written in terms of other ops.

Here, all of ``tl`` again, and two functions on compile-time values that kernels import from there.
"""

from __future__ import annotations

from typing import Any

from mytriton import language as _language
from mytriton.language.static import constant_int as _constant_int


def _log2(i: Any) -> int:
    """The whole part of the logarithm to base 2; 0 below 2."""
    return max(_constant_int(i, "_log2: i"), 1).bit_length() - 1


def _is_power_of_two(i: Any) -> bool:
    """Whether it is 1, 2, 4, 8, ..."""
    value = _constant_int(i, "_is_power_of_two: i")
    return value > 0 and value.bit_count() == 1


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _language.__all__
    if name in _language.__all__:
        return getattr(_language, name)
    raise AttributeError(f"tl.standard has no '{name}'")


def __dir__() -> list[str]:
    return list(_language.__all__)
