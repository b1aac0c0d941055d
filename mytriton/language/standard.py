"""``tl.standard``, where Triton keeps what is written in terms of other ops.

Here, all of ``tl`` again, and two functions on compile-time values that kernels import from there.
"""

from __future__ import annotations

from typing import Any

from mytriton.language.core import __dir__ as __dir__
from mytriton.language.core import __getattr__ as __getattr__
from mytriton.language.static import constant_int as _constant_int


def _log2(i: Any) -> int:
    """The whole part of the logarithm to base 2; 0 below 2."""
    return max(_constant_int(i, "_log2: i"), 1).bit_length() - 1


def _is_power_of_two(i: Any) -> bool:
    """Whether it is 1, 2, 4, 8, ..."""
    value = _constant_int(i, "_is_power_of_two: i")
    return value > 0 and value.bit_count() == 1
