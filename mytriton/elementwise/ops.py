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

from mytriton.elementwise import decompose, sharding
from mytriton.elementwise.functions import Case, Function, Gradient, UserFunction
from mytriton.elementwise.layout import broadcast_shape, output_strides
from mytriton.elementwise.promotion import kind_of_input

_library = torch.library.Library("mytriton", "FRAGMENT")
_taken: set[str] = set()
_lock = threading.RLock()
_forward_ad = torch.autograd.forward_ad
# To be raised where graphs of the same function change: torch's caches know them by the op's name.
_FORM = 1
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


def evaluate(
    function: Function,
    inputs: Sequence[Any],
    options: dict[str, Any],
    out: Sequence[torch.Tensor] | None = None,
) -> list[torch.Tensor]:
    """Runs the function's kernel; the tensors are on the CPU or on one CUDA device."""
    case = function.case(tuple(map(kind_of_input, inputs)), options)
    tensors, names = _tensors(function, inputs)
    device = device_of(function.name, names, tensors)
    if any(each.device != device for each in tensors):  # numbers, in effect
        inputs = [each.to(device) if isinstance(each, torch.Tensor) else each for each in inputs]
        tensors, names = _tensors(function, inputs)
    if out is None:
        out = allocate(function.name, names, tensors, case, device)
    case.kernels.run(out, inputs)
    return list(out)


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
    if all(each.shape == shape and each.is_contiguous() for each in tensors):
        return [torch.empty(shape, dtype=each, device=device) for each in case.results]
    shape = broadcast_shape(function, names, tensors)
    strides = output_strides(shape, tensors)
    return [torch.empty_strided(shape, strides, dtype=each, device=device) for each in case.results]


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
        self._gradients: dict[tuple[bool, ...], TorchOp] = {}
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
        for key in ("CPU", "CUDA"):
            _library.impl(name, self._run, key)
        packet = getattr(torch.ops.mytriton, self._qualified)
        self.overload: torch._ops.OpOverload = getattr(packet, overload or "default")
        full = f"mytriton::{name}"
        torch.library.register_fake(full, self._fake, lib=_library)
        _library.impl(name, self._differentiable, "Autograd", with_keyset=True)
        torch.library.register_vmap(full, self._vmap, lib=_library)
        if not self.opaque:
            decompose.offer(self)

    def _pack(self, outputs: list[torch.Tensor]) -> Any:
        return outputs[0] if self.function.outputs == 1 else tuple(outputs)

    def _run(self, *inputs: Any, options: str = "") -> Any:
        return self._pack(evaluate(self.function, inputs, options_of_text(options)))

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
        if not decompose.has_torch_functions(case.tape):
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

    # --- gradient --------------------------------------------------------------------------------

    def gradient(self, wanted: tuple[bool, ...]) -> TorchOp:
        """The op of what flows back to these inputs."""
        with _lock:
            made = self._gradients.get(wanted)
            if made is None:
                own, takes = self._own or (None, ())
                function = Gradient(self.function, wanted, own, takes)
                outputs = self.function.outputs
                every = tuple(not each for each in self.numbers)
                suffix = "" if wanted == every else "_" + "".join("01"[w] for w in wanted)
                pattern = "".join("tn"[each] for each in self.numbers)
                which = "" if "n" not in pattern else f"_{pattern}"
                name = f"{self._qualified}_backward{which}{suffix}"
                made = TorchOp(
                    function,
                    name,
                    "",
                    (*self.numbers, *[False] * outputs),
                    (*self._optional, *[True] * outputs),
                    opaque=self.opaque,
                )
                self._gradients[wanted] = made
        return made

    def _differentiable(self, keys: Any, *inputs: Any, options: str = "") -> Any:
        """The op above torch's autograd."""
        if _forward_ad._current_level >= 0:
            self._refuse_tangents(inputs)
        tracked = torch.is_grad_enabled() and any(
            isinstance(each, torch.Tensor) and each.requires_grad for each in inputs
        )
        if not tracked:
            with torch._C._AutoDispatchBelowAutograd():
                return self.below(keys, inputs, options)
        return _Node.at_this_level(self, keys, options, *inputs)

    def _refuse_tangents(self, inputs: Sequence[Any]) -> None:
        for name, each in zip(self.function.names, inputs, strict=True):
            if isinstance(each, torch.Tensor) and _forward_ad.unpack_dual(each).tangent is not None:
                raise NotImplementedError(
                    f"{self.function.name}: argument '{name}' has a tangent: elementwise functions "
                    "have reverse-mode derivatives only"
                )

    def below(self, keys: Any, inputs: Sequence[Any], options: str) -> Any:
        """The op below torch's autograd."""
        after = keys & torch._C._after_autograd_keyset
        return self.overload.redispatch(after, *inputs, options=options)

    def backward(self, ctx: Any, flows: Sequence[torch.Tensor | None]) -> tuple[Any, ...]:
        """What flows back to each input of a call, or None."""
        inputs = _restored(ctx)
        wanted = tuple(
            need and isinstance(each, torch.Tensor) and each.is_floating_point()
            for need, each in zip(ctx.needs_input_grad[3:], inputs, strict=True)
        )
        if sum(not each for each in self.numbers) > _MAX_CHOSEN and any(wanted):
            wanted = tuple(not each for each in self.numbers)
        if not any(wanted) or all(each is None for each in flows):
            return (None,) * len(inputs)
        given = [flow if flow is not None and flow.is_floating_point() else None for flow in flows]
        if self._own is not None:
            given = [torch.zeros((), device=ctx.device) if g is None else g for g in given]
        found = self.gradient(wanted).overload(*inputs, *given, options=ctx.options)
        results = iter((found,) if sum(wanted) == 1 else found)
        return tuple(
            _summed(next(results), each) if wants else None
            for each, wants in zip(inputs, wanted, strict=True)
        )


class _Node(torch.autograd.Function):
    """A call in torch's graph of gradients."""

    @classmethod
    def at_this_level(cls, *arguments: Any) -> Any:
        """``apply``, of the level of torch.func that the dispatcher is at: Function.apply would
        begin with the outermost again, and is for calls from above the dispatcher."""
        above: Any = super(torch.autograd.Function, cls)
        if torch._C._functorch.peek_interpreter_stack() is None:
            return above.apply(*arguments)
        from torch._functorch.utils import enable_single_level_autograd_function

        with enable_single_level_autograd_function():
            return above.apply(*arguments)

    @staticmethod
    def forward(ctx: Any, op: TorchOp, keys: Any, options: str, *inputs: Any) -> Any:
        # Gradients were on, and a Function turns them off, for outer levels of torch.func too.
        with torch._C._AutoDispatchBelowAutograd(), torch.enable_grad():
            output = op.below(keys, inputs, options)
        ctx.set_materialize_grads(False)
        ctx.op = op
        ctx.options = options
        ctx.others = [None if isinstance(each, torch.Tensor) else (each,) for each in inputs]
        ctx.device = (output if isinstance(output, torch.Tensor) else output[0]).device
        ctx.save_for_backward(*(each for each in inputs if isinstance(each, torch.Tensor)))
        return output

    @staticmethod
    def backward(ctx: Any, *flows: Any) -> Any:
        return (None, None, None, *ctx.op.backward(ctx, flows))


def _restored(ctx: Any) -> list[Any]:
    saved = iter(ctx.saved_tensors)
    return [next(saved) if each is None else each[0] for each in ctx.others]


def _summed(flow: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
    """What flowed back, as the gradient of an input that was broadcast, converted and moved."""
    if flow.shape != given.shape:
        flow = flow.sum_to_size(given.shape)
    return flow.to(device=given.device, dtype=given.dtype)
