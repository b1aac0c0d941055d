"""Names of CUDA's libdevice for functions of the language.

Where libdevice has a fast, less accurate variant (``fast_expf``) the accurate function stands.
``isnan``, ``isinf`` and their like give int1, which Triton gives as int32.
"""

from __future__ import annotations

from typing import Any

from mytriton import language as _tl
from mytriton.dtypes import DTYPES as _DTYPES
from mytriton.traced import apply as _apply
from mytriton.traced import tensor as _tensor

_SAME = [
    *("abs", "acos", "asin", "atan", "atan2", "ceil", "clz", "copysign", "cos", "cosh", "div_rn"),
    *("erf", "erfc", "exp", "exp2", "expm1", "floor", "fma", "fmod", "isfinited", "isinf", "isnan"),
    *("lgamma", "log", "log10", "log1p", "log2", "popc", "pow", "rint", "round", "rsqrt", "sin"),
    *("sinh", "sqrt", "sqrt_rn", "tan", "tanh", "trunc"),
]
_RENAMED = {
    "add_rn": "add",
    "sub_rn": "sub",
    "mul_rn": "mul",
    "fma_rn": "fma",
    "finitef": "isfinited",
    "nearbyint": "rint",
    "fast_cosf": "cos",
    "fast_dividef": "fdiv",
    "fast_expf": "exp",
    "fast_log10f": "log10",
    "fast_log2f": "log2",
    "fast_logf": "log",
    "fast_powf": "pow",
    "fast_sinf": "sin",
    "fast_tanf": "tan",
    "fast_tanhf": "tanh",
}
_NAMES = {name: name for name in _SAME} | _RENAMED
# Bit casts: name -> type of the result.
_BITS = {
    "float_as_int": "i32",
    "float_as_uint": "u32",
    "int_as_float": "f32",
    "uint_as_float": "f32",
    "double_as_longlong": "i64",
    "longlong_as_double": "f64",
}

__all__ = sorted([*_NAMES, *_BITS, "rcp_rn", "saturatef"])


def rcp_rn(x: Any) -> _tensor:
    """1 / x, correctly rounded."""
    return _apply("div", 1.0, x)


def saturatef(x: Any) -> _tensor:
    """`x` clamped to [0, 1]; NaN gives 0."""
    return _tl.clamp(x, 0.0, 1.0, _tl.PropagateNan.NONE)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(_tl, _NAMES[name])
    if name in _BITS:
        dtype = _DTYPES[_BITS[name]]
        return lambda x: _tl.cast(x, dtype, bitcast=True)
    raise AttributeError(f"libdevice.{name} is not available; there are {', '.join(__all__)}")


def __dir__() -> list[str]:
    return __all__
