"""``@mytriton.op``: a Python function that launches kernels becomes a torch op."""

from __future__ import annotations

import functools
import inspect
import keyword
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch

from mytriton.derivative import Derivative
from mytriton.shapes_only import shapes_only

# torch's own namespaces, and the one of raw launches.
_RESERVED = ("aten", "mytriton", "prim", "prims", "quantized")

# With a torch.library.Library go its ops, and a torn-down op aborts: kept for ever.
_libraries: list[torch.library.Library] = []
_defined: set[str] = set()
_names = threading.Lock()


def _checked_name(name: Any) -> tuple[str, str]:
    """Namespace and name."""
    parts = name.split("::") if isinstance(name, str) else []
    fits = len(parts) == 2 and all(
        re.fullmatch(r"[A-Za-z_]\w*", part, re.ASCII) and not keyword.iskeyword(part)
        for part in parts
    )
    if not fits:
        raise ValueError(
            f'mytriton.op: expected a name like "my_package::my_op", both parts identifiers; '
            f"got {name!r}"
        )
    if parts[0] in _RESERVED:
        raise ValueError(
            f"mytriton.op: {name!r}: the namespace {parts[0]!r} is not yours to define ops in; "
            "take your package's name"
        )
    return parts[0], parts[1]


def _schema_of(name: str, fn: Callable[..., Any], mutates: Iterable[str]) -> str:
    """The schema without a name, from the annotations."""
    try:
        return torch.library.infer_schema(fn, mutates_args=mutates)
    except ValueError as error:
        said = str(error).removeprefix("infer_schema(func): ")
        said = re.sub(r"The valid types are: .*?\)\. Got func", _VALID_TYPES, said, flags=re.S)
        raise TypeError(f"mytriton.op: {name}: {said}") from None


_VALID_TYPES = (
    "Valid are Tensor, int, float, bool, str, torch.dtype, torch.device, int | float | bool, "
    "their Optional, and lists of tensors and numbers. Got func"
)


def _define(space: str, name: str, schema: str) -> tuple[torch.library.Library, str]:
    """Defines the op under this name, or where it is taken by an earlier definition, under the
    first free one of name_2, name_3, ...: torch's names are for ever."""
    with _names:
        exists = torch._C._dispatch_has_kernel
        if exists(f"{space}::{name}") and f"{space}::{name}" not in _defined:
            raise ValueError(f"mytriton.op: {space}::{name} is an op already, and not of this kind")
        free, count = name, 1
        while exists(f"{space}::{free}"):
            count += 1
            free = f"{name}_{count}"
        library = torch.library.Library(space, "FRAGMENT")
        _libraries.append(library)
        library.define(free + schema, tags=(torch.Tag.pt2_compliant_tag,))
        _defined.add(f"{space}::{free}")
    return library, free


class Op:
    """A torch op that runs a Python function; made by :func:`op`, called like the function.

    `op` is its OpOverload, `fn` the function, `name` the name under which torch knows it.
    """

    def __init__(self, name: str, fn: Callable[..., Any], mutates: Iterable[str]) -> None:
        space, wanted = _checked_name(name)
        if not inspect.isfunction(fn):
            raise TypeError(f"mytriton.op: {name}: expected a function, got {type(fn).__name__}")
        mutates = (mutates,) if isinstance(mutates, str) else tuple(mutates)
        schema = _schema_of(name, fn, mutates)
        functools.update_wrapper(self, fn)
        self.fn = fn
        self._fake_fn: Callable[..., Any] | None = None
        self._library, base = _define(space, wanted, schema)
        self.name = f"{space}::{base}"
        self.op = getattr(getattr(torch.ops, space), base).default
        for device in ("CPU", "CUDA"):
            self._library.impl(base, fn, device)
        torch.library.register_fake(self.name, self._fake, lib=self._library)
        self._derivative = Derivative(self.op)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.op(*args, **kwargs)

    def __reduce__(self) -> str:
        # Pickled and copied as functions are: by name.
        return self.fn.__qualname__

    def __repr__(self) -> str:
        return f"<mytriton.op {self.op._schema}>"

    # --- rules -----------------------------------------------------------------------------------

    def register_fake(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Takes `fn(*args) -> outputs` to know shapes, dtypes and strides where nothing may run.

        It is needed where the op's own function reads values of tensors to decide on shapes; else
        that function serves, with its launches left out. Usable as a decorator.
        """
        self._fake_fn = fn
        return fn

    def register_autograd(
        self,
        backward: Callable[..., Any],
        *,
        setup_context: Callable[..., Any] | None = None,
    ) -> None:
        """Gives the op a derivative: as ``torch.library.register_autograd``.

        ``setup_context(ctx, inputs, output)`` saves what ``backward(ctx, *grads)`` needs; the
        latter returns a gradient or None for each argument. A backward made of torch functions and
        of ops with derivatives can be differentiated again; where it launches kernels itself, a
        second derivative is a RuntimeError.
        """
        if self.op._schema.is_mutable:
            raise TypeError(
                f"{self.name} writes an argument, so that it cannot have a derivative; "
                "return the result in place of writing it"
            )
        self._derivative.backward = backward
        self._derivative.setup_context = setup_context

    def register_vmap(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """``fn(info, in_dims, *args) -> outputs, out_dims`` is the op under ``torch.vmap``: as
        ``torch.library.register_vmap``. Without one torch calls the op once an entry. Usable as a
        decorator."""
        torch.library.register_vmap(self.name, fn, lib=self._library)
        return fn

    # --- what torch calls ------------------------------------------------------------------------

    def _fake(self, *args: Any, **kwargs: Any) -> Any:
        if self._fake_fn is not None:
            return self._fake_fn(*args, **kwargs)
        try:
            with shapes_only():
                return self.fn(*args, **kwargs)
        except Exception as error:
            error.add_note(
                f"{self.name}: the shapes of its outputs could not be found by running its "
                f"function without launches; give a function with {self.fn.__name__}.register_fake"
            )
            raise


def op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str] = ()
) -> Any:
    """Makes a torch op of a function that allocates outputs and launches kernels.

    ::

        @mytriton.op("my_package::scaled")
        def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
            x = x.contiguous()
            out = torch.empty_like(x)
            scale_kernel[lambda meta: (cdiv(x.numel(), meta["BLOCK"]),)](x, out, factor, x.numel())
            return out

    The schema comes from the annotations: of arguments ``torch.Tensor``, ``int``, ``float``,
    ``bool``, ``str``, ``torch.dtype``, ``torch.device``, Optional and lists; of results tensors, a
    tuple of them, or None. Arguments that the function writes are named in `mutates_args`; writing
    another one, or returning an input or a view of it, is a RuntimeError. CPU and CUDA tensors run
    the function; fake and meta tensors run it with its launches left out, or what
    :meth:`Op.register_fake` gave. :meth:`Op.register_autograd` and :meth:`Op.register_vmap` give
    further rules.

    A name that is taken - a cell that runs again, a module that is reloaded, one more closure -
    defines a new op, ``name_2``, which has no rules yet; the earlier one stays as it was.

    Raises ValueError for a name that is not ``namespace::name``, TypeError for annotations that
    are missing or that no op can have.
    """
    if fn is None:
        return lambda function: Op(name, function, mutates_args)
    return Op(name, fn, mutates_args)
