"""``@mytriton.elementwise``: a function of scalars becomes a torch function over tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from mytriton.elementwise.decorated import ElementwiseFunction


@overload
def elementwise(fn: Callable[..., Any]) -> ElementwiseFunction: ...
@overload
def elementwise(
    fn: None = None,
    *,
    backward: Callable[..., Any] | None = None,
    outputs: int | None = None,
    opaque: bool = False,
) -> Callable[[Callable[..., Any]], ElementwiseFunction]: ...
def elementwise(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a torch function of a function of scalars in the ``tl`` language::

        @mytriton.elementwise
        def swiglu(a, b):
            return a * tl.sigmoid(a) * b

        y = swiglu(x, gate)

    Arguments are tensors on one device, of any strides, which broadcast; Python numbers, which
    every call may change; and, for parameters annotated ``tl.constexpr``, values known at compile
    time. All inputs are converted to the dtype that ``torch.result_type`` gives for them; the
    result has the dtype of what the function returns, and the strides that torch's pointwise ops
    give. A function that returns a tuple has several outputs. ``out=`` takes tensors to store to,
    inputs among them.

    The function is traced once for each set of dtypes. It may call other functions, but not load,
    store, reduce, loop or branch: CompileError at its line says so. A call raises TypeError for
    what is neither a tensor nor a number and for dtypes that kernels do not know, and ValueError
    for shapes that do not broadcast.

    The result has a gradient, derived from the function's operations, and one of that gradient.
    ``backward``: a function to take instead, of the inputs and of what flows back to each output;
    it returns what flows to each input, or None. ``outputs``: how many there are, where that
    cannot be read off the return statement. ``opaque``: torch.compile keeps this function's kernel
    instead of fusing its operations with their neighbours.
    """
    unknown = set(options) - {"backward", "outputs", "opaque"}
    if unknown:
        raise TypeError(f"elementwise: unexpected option '{min(unknown)}'")
    if fn is None:
        return functools.partial(elementwise, **options)
    if not callable(fn) or not hasattr(fn, "__name__"):
        raise TypeError(f"elementwise: expected a function, got {type(fn).__name__}")
    return ElementwiseFunction(
        fn, options.get("backward"), options.get("outputs"), bool(options.get("opaque"))
    )
