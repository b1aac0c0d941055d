"""An elementwise function as torch ops: schemas, implementations, gradients, vmap.

Each function is one functional op `mytriton::NAME_HASH(inputs, *, options) -> outputs`. Inputs are
tensors, or Scalars where the function takes a number; which of them are numbers decides the
overload. Its gradient is an op of the same form, and so on.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import keyword
import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mytriton import _C
from mytriton.elementwise import decompose, sharding
from mytriton.elementwise.functions import Case, Function, Gradient, Tangents, UserFunction
from mytriton.elementwise.layout import broadcast_shape, output_strides
from mytriton.elementwise.promotion import kind_of_input

_library = torch.library.Library("mytriton", "FRAGMENT")
_taken: set[str] = set()
_lock = threading.RLock()
# To be raised where graphs of the same function change: torch's caches know them by the op's name.
_FORM = 2
# Of more tensors all gradients are computed, whichever are needed.
_MAX_CHOSEN = 4
# Options that cannot be written as text, by their number in the op's argument.
_kept: list[Any] = []


def op_name(name: str, identity: str) -> str:
    """A name that no other op has: torch's caches know ops by name, so it must not be reused."""
    digest = hashlib.sha256(f"{_FORM} {identity}".encode()).hexdigest()[:12]
    clean = "".join(c if c.isascii() and c.isalnum() else "_" for c in name).strip("_")
    base = f"{clean or 'elementwise'}_{digest}"
    with _lock:
        for count in itertools.count(1):
            free = base if count == 1 else f"{base}_{count}"
            if free not in _taken:
                _taken.add(free)
                return free
    raise AssertionError


def options_text(options: dict[str, Any]) -> str:
    """Options as the op's argument; plain values come back in another process."""
    if not options:
        return ""
    parts = {}
    for name, value in options.items():
        try:
            plain = ast.literal_eval(repr(value)) == value and type(value) is not torch.dtype
        except (ValueError, SyntaxError):
            plain = False
        if plain:
            parts[name] = ("value", value)
        else:
            with _lock:
                found = [i for i, each in enumerate(_kept) if each is value]
                if not found:
                    _kept.append(value)
                parts[name] = ("kept", found[0] if found else len(_kept) - 1)
    return repr(parts)


def options_of_text(text: str) -> dict[str, Any]:
    """The opposite. What stands behind a # is only there to tell graphs apart."""
    text = text.partition("#")[0]
    if not text:
        return {}
    parts = ast.literal_eval(text)
    return {k: value if how == "value" else _kept[value] for k, (how, value) in parts.items()}


def _tensors(function: Function, inputs: Sequence[Any]) -> tuple[list[torch.Tensor], list[str]]:
    tensors, names = [], []
    for name, each in zip(function.names, inputs, strict=True):
        if isinstance(each, torch.Tensor):
            tensors.append(each)
            names.append(name)
    return tensors, names


def device_of(function: str, names: Sequence[str], tensors: Sequence[torch.Tensor]) -> torch.device:
    """Where to run. A tensor on the CPU without dimensions may stand beside others on a GPU."""
    placed = [each for each in zip(names, tensors, strict=True) if each[1].ndim]
    on_gpu = [each for each in zip(names, tensors, strict=True) if each[1].device.type != "cpu"]
    first_name, first = (placed or on_gpu or [(names[0], tensors[0])])[0]
    for name, each in zip(names, tensors, strict=True):
        if each.device != first.device and (each.ndim or each.device.type != "cpu"):
            raise TypeError(
                f"{function}: '{first_name}' is on {first.device} and '{name}' on {each.device}; "
                "expected all tensors on one device"
            )
    return first.device


def allocate(
    function: str,
    names: Sequence[str],
    tensors: Sequence[torch.Tensor],
    case: Case,
    device: torch.device,
) -> list[torch.Tensor]:
    """Empty outputs, with the strides that torch's pointwise ops give."""
    first = tensors[0]
    shape: Sequence[int] = first.shape
    if all(_have_shape(each, shape) and each.is_contiguous() for each in tensors):
        return [torch.empty(shape, dtype=each, device=device) for each in case.results]
    shape = broadcast_shape(function, names, tensors)
    strides = output_strides(shape, tensors)
    return [torch.empty_strided(shape, strides, dtype=each, device=device) for each in case.results]


def _have_shape(tensor: torch.Tensor, shape: Sequence[int]) -> bool:
    # Of other ranks no sizes are compared: symbolic ones would become those of this call.
    return tensor.ndim == len(shape) and tensor.shape == shape


class TorchOp:
    """One registered op.

    numbers: of each input whether it is a number. With `own`, the gradient is the user's function,
    see :class:`Gradient`. `opaque`: torch.compile keeps the kernel.
    """

    def __init__(
        self,
        function: Function,
        qualified: str,
        overload: str,
        numbers: tuple[bool, ...],
        optional: Sequence[bool] = (),
        own: tuple[Callable[..., Any], Sequence[str]] | None = None,
        opaque: bool = False,
    ) -> None:
        self.function = function
        self.numbers = numbers
        self.opaque = opaque
        self._qualified = qualified
        self._own = own
        self._optional = list(optional) or [False] * len(numbers)
        self._prepared = False
        self._ops: dict[tuple[str, tuple[bool, ...]], TorchOp] = {}  # of derivatives
        self._register(overload)

    def _register(self, overload: str) -> None:
        parameters = []
        for name, number, optional in zip(
            self.function.names, self.numbers, self._optional, strict=True
        ):
            kind = "Scalar" if number else "Tensor?" if optional else "Tensor"
            safe = f"{name}_" if keyword.iskeyword(name) or name in ("options", "self") else name
            parameters.append(f"{kind} {safe}")
        count = self.function.outputs
        returns = "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        name = f"{self._qualified}.{overload}" if overload else self._qualified
        schema = f'{name}({", ".join(parameters)}, *, str options="") -> {returns}'
        _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
        packet = getattr(torch.ops.mytriton, self._qualified)
        self.overload: torch._ops.OpOverload = getattr(packet, overload or "default")
        full = f"mytriton::{name}"
        torch.library.register_fake(full, self._fake, lib=_library)
        self.native = _C.ElementwiseOp(full, self)
        torch.library.register_vmap(full, self._vmap, lib=_library)
        if not self.opaque:
            decompose.offer(self)

    def _pack(self, outputs: list[torch.Tensor]) -> Any:
        return outputs[0] if self.function.outputs == 1 else tuple(outputs)

    # --- asked for in C --------------------------------------------------------------------------

    @property
    def has_own_backward(self) -> bool:
        return self._own is not None

    @property
    def computes_all_gradients(self) -> bool:
        return sum(not each for each in self.numbers) > _MAX_CHOSEN

    def native_case(self, inputs: tuple[Any, ...], options: str) -> tuple[Case, Any]:
        """The function for these inputs, and what to check before it is used again; None: it
        cannot be told in C."""
        case = self.function.case(tuple(map(kind_of_input, inputs)), options_of_text(options))
        return case, case.reads.checks()

    def refuse(self, inputs: tuple[Any, ...]) -> None:
        """Says what is wrong with the devices or the shapes."""
        tensors, names = _tensors(self.function, inputs)
        device_of(self.function.name, names, tensors)
        broadcast_shape(self.function.name, names, tensors)

    def gradient_name(self, wanted: list[bool]) -> str:
        return str(self.gradient(tuple(wanted)).overload.name())

    def tangents_name(self, given: list[bool]) -> str:
        if self._own is not None:
            name = self.function.names[given.index(True)]
            raise NotImplementedError(
                f"{self.function.name}: argument '{name}' has a tangent, but a function with a "
                "backward of its own has reverse-mode derivatives only"
            )
        return str(self.tangents(tuple(given)).overload.name())

    # --- asked for by torch ----------------------------------------------------------------------

    def _fake(self, *inputs: Any, options: str = "") -> Any:
        sharding.prepare(self.overload)  # torch asks for shapes before it asks for shardings
        if isinstance(self.function, UserFunction) and torch._guards.TracingContext.try_get():
            self._prepare_graph()
        function = self.function
        case = function.case(tuple(map(kind_of_input, inputs)), options_of_text(options))
        tensors, names = _tensors(function, inputs)
        device = device_of(function.name, names, tensors)
        return self._pack(allocate(function.name, names, tensors, case, device))

    def _prepare_graph(self) -> None:
        """Makes what a graph that is being traced may come to need: torch copies its table of
        decompositions before it traces the gradient, and may take a graph from its caches on disk
        in a process where nothing has asked for a gradient."""
        if self._prepared:
            return
        self._prepared = True
        tensors = [not each for each in self.numbers]
        if sum(tensors) > _MAX_CHOSEN:
            self.gradient(tuple(tensors))
        else:
            choices = ((False, True) if each else (False,) for each in tensors)
            for wanted in itertools.product(*choices):
                if any(wanted):
                    self.gradient(wanted)
        if not self.opaque:
            decompose.tell_inductor()

    def decomposed(self, *inputs: Any, options: str = "") -> Any:
        """The op by torch functions, for Inductor; NotImplemented where there are none."""
        case = self.function.case(tuple(map(kind_of_input, inputs)), options_of_text(options))
        if not decompose.has_torch_functions(case.wide):
            decompose.keep(self.overload)
            return NotImplemented
        return self._pack(decompose.run(case, inputs))

    def _vmap(self, info: Any, in_dims: Any, *inputs: Any, options: str = "") -> Any:
        rank = 0
        for each, dim in zip(inputs, in_dims, strict=True):
            if isinstance(each, torch.Tensor):
                rank = max(rank, each.ndim - (dim is not None))
        moved = []
        for each, dim in zip(inputs, in_dims, strict=True):
            if isinstance(each, torch.Tensor) and dim is not None:
                each = each.movedim(dim, 0)
                for _ in range(rank - each.ndim + 1):
                    each = each.unsqueeze(1)
            moved.append(each)
        result = self.overload(*moved, options=options)
        return result, 0 if self.function.outputs == 1 else (0,) * self.function.outputs

    # --- derivatives -----------------------------------------------------------------------------

    def gradient(self, wanted: tuple[bool, ...]) -> TorchOp:
        """The op of what flows back to these inputs."""

        def make() -> TorchOp:
            own, takes = self._own or (None, ())
            flows = self.function.outputs
            return TorchOp(
                Gradient(self.function, wanted, own, takes),
                self._derived_name("backward", wanted),
                "",
                (*self.numbers, *[False] * flows),
                (*self._optional, *[True] * flows),
                opaque=self.opaque,
            )

        return self._derived("backward", wanted, make)

    def tangents(self, given: tuple[bool, ...]) -> TorchOp:
        """The op of the outputs' tangents, where these inputs have one."""

        def make() -> TorchOp:
            return TorchOp(
                Tangents(self.function, given),
                self._derived_name("tangents", given),
                "",
                (*self.numbers, *[False] * sum(given)),
                (*self._optional, *[False] * sum(given)),
                opaque=self.opaque,
            )

        return self._derived("tangents", given, make)

    def _derived(self, what: str, which: tuple[bool, ...], make: Callable[[], TorchOp]) -> TorchOp:
        with _lock:
            if (what, which) not in self._ops:
                self._ops[what, which] = make()
            return self._ops[what, which]

    def _derived_name(self, what: str, which: tuple[bool, ...]) -> str:
        every = tuple(not each for each in self.numbers)
        pattern = "".join("tn"[each] for each in self.numbers)
        overload = f"_{pattern}" if "n" in pattern else ""
        suffix = "" if which == every else "_" + "".join("01"[each] for each in which)
        return f"{self._qualified}_{what}{overload}{suffix}"
