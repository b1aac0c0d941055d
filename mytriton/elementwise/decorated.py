"""ElementwiseFunction: what ``@mytriton.elementwise`` makes of a function, and how it is called."""

from __future__ import annotations

import dis
import functools
import threading
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

import torch
from torch._prims_common import is_non_overlapping_and_dense_or_false as is_dense

from mytriton import _C
from mytriton.arguments import _TORCH_DTYPES, _type_name
from mytriton.compiled import CompiledKernel
from mytriton.constexprs import is_itself
from mytriton.elementwise.functions import UserFunction
from mytriton.elementwise.layout import overlaps
from mytriton.elementwise.ops import (
    TorchOp,
    device_of,
    op_name,
    options_text,
)
from mytriton.elementwise.promotion import InputKind, kind_of_input
from mytriton.jit import constant_in_graphs
from mytriton.parameters import Parameter, bind, parameters_of
from mytriton.recording import Kernel, current_recorder
from mytriton.traced import is_tracing, unwrap

# Globals, for few guards in graphs.
Tensor = torch.Tensor
_ops = torch.ops.mytriton
_is_compiling = torch.compiler.is_dynamo_compiling
_PLAIN = (torch.Tensor, torch.nn.Parameter)
_NUMBERS = bool | int | float | torch.SymInt | torch.SymFloat | torch.SymBool
_forward_ad = torch.autograd.forward_ad


class ElementwiseFunction(_C.ElementwiseCalls, Kernel):
    """A function of scalars, to be called with tensors; see :func:`mytriton.elementwise`.

    ``op`` is its op for torch, an OpOverload. Inside kernels and other elementwise functions it is
    the function of scalars.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        backward: Callable[..., Any] | None,
        outputs: int | None,
        opaque: bool,
    ) -> None:
        functools.update_wrapper(self, fn)
        self.fn = getattr(fn, "fn", fn)
        self.name: str = getattr(fn, "__name__", "elementwise")
        self.params: list[Parameter] = parameters_of(self.name, self.fn)
        super().__init__([each.for_binding() for each in self.params], self._call_slowly)
        inputs = [each for each in self.params if not each.is_constexpr]
        if not inputs:
            raise TypeError(f"elementwise: {self.name} has no parameter that is not a constexpr")
        self._names = [each.name for each in inputs]
        count = outputs or _outputs_of(self.fn)
        self._function = UserFunction(self.fn, self.name, self._names, count)
        self._own = None if backward is None else (backward, self._options_of(backward))
        self._opaque = opaque
        self._qualified = op_name(self.name, _identity(fn))
        self._default = tuple(map(_is_number, inputs))
        self._ops: dict[tuple[bool, ...], TorchOp] = {}
        self._lock = threading.RLock()
        wanted = tuple(not each for each in self._default)
        if any(wanted):
            self._op_of(self._default).gradient(wanted)

    @property
    def op(self) -> torch._ops.OpOverload:
        """The op: takes the inputs - tensors, and numbers where a parameter is annotated as one or
        has one as its default - and, by keyword, ``options``, text."""
        return self._op_of(self._default).overload

    def compile(self, *args: Any, **kwargs: Any) -> CompiledKernel:
        """The kernel that a call with these arguments runs, with the text of every stage. Nothing
        runs. Raises what a call raises, and ValueError for tensors without elements."""
        return self._launch_of(*args, **kwargs)[0]

    def _launch_of(self, *args: Any, **kwargs: Any) -> tuple[CompiledKernel, list[Any], int, int]:
        """The kernel, its arguments - outputs first -, programs and number of outputs of a call."""
        inputs, options = self._bound(args, kwargs)
        self._check(inputs)
        op = self._op_of(tuple(not isinstance(each, torch.Tensor) for each in inputs))
        found = op.native.launch_of(tuple(inputs), options_text(options))
        if found is None:
            raise ValueError(f"{self.name}: tensors without elements run no kernel")
        name, arguments, programs, outputs = found
        case = self._function.case(tuple(map(kind_of_input, inputs)), options)
        return case.kernels.compiled[name], list(arguments), programs, outputs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Dynamo's way in; every other call is taken by ElementwiseCalls, in C."""
        if _is_compiling():
            return self._call_in_graph(args, kwargs)
        return self._call_slowly(args, kwargs)[0]

    def __reduce__(self) -> str:
        return str(getattr(self, "__qualname__", self.name))

    def __repr__(self) -> str:
        return f"<mytriton.elementwise {self.name}>"

    # --- a call, step by step --------------------------------------------------------------------

    def _call_slowly(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, _C.ElementwiseOp | None, str]:
        """A call that C does not know yet, or that is wrong. Beside the result: the op and the
        options by which such a call can be repeated there."""
        if is_tracing():
            named = {name: unwrap(value) for name, value in kwargs.items()}
            result = current_recorder().callable_of(self.fn)(*map(unwrap, args), **named)
            return result, None, ""
        out = kwargs.pop("out", None)
        inputs, options = self._bound(args, kwargs)
        self._check(inputs)
        if out is not None:
            return self._call_out(inputs, options, out), None, ""
        op = self._op_of(tuple(not isinstance(each, torch.Tensor) for each in inputs))
        text = options_text(options)
        known = all(is_itself(each) for each in options.values())
        return op.overload(*inputs, options=text), op.native if known else None, text

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        for name in kwargs:
            if not any(each.name == name and each.by_name for each in self.params):
                names = ", ".join(each.name for each in self.params if each.by_name)
                raise TypeError(
                    f"{self.name}: unexpected argument '{name}'; the parameters are {names}, out"
                )
        bound = bind(self.name, self.params, args, kwargs)
        options = {p.name: bound[p.name] for p in self.params if p.is_constexpr}
        return [bound[name] for name in self._names], options

    def _check(self, inputs: Sequence[Any]) -> None:
        tensors = 0
        for i, each in enumerate(inputs):
            if isinstance(each, torch.Tensor):
                tensors += 1
                if each.dtype not in _TORCH_DTYPES:
                    expected = ", ".join(str(dtype) for dtype in _TORCH_DTYPES)
                    raise TypeError(
                        f"{self.name}: argument '{self._names[i]}': expected a tensor of "
                        f"{expected}; got {each.dtype}"
                    )
            elif not isinstance(each, _NUMBERS):
                raise TypeError(
                    f"{self.name}: argument '{self._names[i]}': expected a tensor or a number, "
                    f"got {_type_name(each)}"
                )
        if not tensors:
            raise TypeError(f"{self.name}: expected at least one tensor, got only numbers")

    def _op_of(self, numbers: tuple[bool, ...]) -> TorchOp:
        op = self._ops.get(numbers)
        if op is None:
            pattern = "".join("tn"[each] for each in numbers)
            overload = "" if numbers == self._default else pattern
            with self._lock:  # an op is registered once
                op = self._ops.get(numbers)
                if op is None:
                    op = self._ops[numbers] = TorchOp(
                        self._function,
                        self._qualified,
                        overload,
                        numbers,
                        own=self._own,
                        opaque=self._opaque,
                    )
        return op

    def _call_out(self, inputs: Sequence[Any], options: dict[str, Any], out: Any) -> Any:
        count = self._function.outputs
        outs = tuple(out) if isinstance(out, tuple | list) else (out,)
        if len(outs) != count or not all(isinstance(each, torch.Tensor) for each in outs):
            expected = "a tensor" if count == 1 else f"a tuple of {count} tensors"
            raise TypeError(f"{self.name}: out: expected {expected}, got {_type_name(out)}")
        tensors = [each for each in inputs if isinstance(each, torch.Tensor)]
        if torch.is_grad_enabled() and any(each.requires_grad for each in (*tensors, *outs)):
            raise RuntimeError(
                f"{self.name}: out: a call with out= is not differentiable, but one of the tensors "
                "requires grad"
            )
        shape = torch.broadcast_shapes(*(each.shape for each in tensors))
        case = self._function.case(tuple(map(kind_of_input, inputs)), options)
        for each, result in zip(outs, case.results, strict=True):
            if each.shape != shape:
                raise ValueError(
                    f"{self.name}: out: expected a tensor of shape {tuple(shape)}, got one of "
                    f"{tuple(each.shape)}"
                )
            if not torch.can_cast(result, each.dtype):
                raise TypeError(
                    f"{self.name}: out: a result of {result} cannot be stored as {each.dtype}"
                )
        device = device_of(self.name, self._names, tensors)
        others = [*tensors, *outs]
        apart = all(
            a is b or not overlaps(a, b) for each, a in enumerate(outs) for b in others[each:]
        )
        apart = apart and all(a is b or a.data_ptr() != b.data_ptr() for a in outs for b in outs)
        dense = all(is_dense(each) for each in outs)
        alike = len({each.stride() for each in outs}) == 1
        plain = all(_is_plain(each) and each.device == device for each in (*tensors, *outs))
        op = self._op_of(tuple(not isinstance(each, torch.Tensor) for each in inputs))
        text = options_text(options)
        if apart and dense and alike and plain and not _is_watched():
            op.native.run_into(tuple(inputs), text, list(outs))
        else:
            made = op.overload(*inputs, options=text)
            for each, result in zip(outs, (made,) if count == 1 else made, strict=True):
                each.copy_(result)
        return out

    # --- under torch.compile ---------------------------------------------------------------------

    def _call_in_graph(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Looks at as little as it can: a compiled call checks all of that again."""
        out = kwargs.pop("out", None)
        given = (*args, *kwargs.values())
        inputs: list[Any]
        options: list[Any]
        inputs, options = (
            [given[at] if at >= 0 else self.params[~at].default for at in places]
            for places in self._places(len(args), tuple(kwargs))
        )
        kinds = tuple(
            ("tensor" if each.dim() else "scalar", each.dtype)
            if isinstance(each, Tensor)
            else ("number", "bool" if isinstance(each, bool) else _kind_of_number(each))
            for each in inputs
        )
        name, overload, text = self._in_graph(kinds, tuple(options))
        made = getattr(getattr(_ops, name), overload)(*inputs, options=text)
        if out is None:
            return made
        if self._function.outputs == 1:
            return out.copy_(made)
        for each, result in zip(out, made, strict=True):
            each.copy_(result)
        return out

    @constant_in_graphs
    def _places(
        self, positional: int, named: tuple[str, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Of inputs and of options: where they stand in a call; ~i: a default, of parameter i."""
        places = [_Given(at) for at in range(positional + len(named))]
        by_name = dict(zip(named, places[positional:], strict=True))
        bound = bind(self.name, self.params, tuple(places[:positional]), by_name)
        inputs: list[int] = []
        options: list[int] = []
        for i, parameter in enumerate(self.params):
            value = bound[parameter.name]
            at = value.at if isinstance(value, _Given) else ~i
            (options if parameter.is_constexpr else inputs).append(at)
        return tuple(inputs), tuple(options)

    @constant_in_graphs
    def _in_graph(
        self, kinds: tuple[InputKind, ...], values: tuple[Any, ...]
    ) -> tuple[str, str, str]:
        names = [each.name for each in self.params if each.is_constexpr]
        options = dict(zip(names, map(unwrap, values), strict=True))
        op = self._op_of(tuple(kind is not None and kind[0] == "number" for kind in kinds))
        # The digest tells graphs apart for torch's caches: globals may differ from those of the
        # process that filled them.
        case = self._function.case(kinds, options)
        overload = op.overload._overloadname
        return self._qualified, overload, f"{options_text(options)}#{case.digest}"

    def _options_of(self, backward: Callable[..., Any]) -> list[str]:
        options = {each.name for each in self.params if each.is_constexpr}
        return [each.name for each in parameters_of(self.name, backward) if each.name in options]


class _Given(NamedTuple):
    """An argument of a call, by its place."""

    at: int


def _kind_of_number(value: Any) -> str:
    return "int" if isinstance(value, int) else "float"


ElementwiseFunction.take_calls(ElementwiseFunction)


def _is_plain(tensor: torch.Tensor) -> bool:
    strided = tensor.layout is torch.strided and not tensor.is_neg()
    return type(tensor) in _PLAIN and strided and tensor.device.type in ("cpu", "cuda")


def _is_watched() -> bool:
    """Whether calls have to go through torch's dispatcher: something there wants to see them."""
    return (
        torch._C._len_torch_dispatch_stack() > 0
        or torch._C._len_torch_function_stack() > 0
        or torch._C._functorch.peek_interpreter_stack() is not None
        or torch._C._autograd._profiler_enabled()
        or _forward_ad._current_level >= 0
    )


def _is_number(parameter: Parameter) -> bool:
    """Whether it takes a number, unless a call says otherwise."""
    numeric = parameter.annotation in ("float", "int", "bool")
    return numeric or isinstance(parameter.default, bool | int | float)


def _outputs_of(fn: Callable[..., Any]) -> int:
    """How many values stand behind the function's return."""
    counts, previous = {1}, None
    for each in dis.get_instructions(fn):
        if each.opname == "RETURN_VALUE" and previous and previous.opname == "BUILD_TUPLE":
            counts.add(previous.arg or 1)
        previous = each
    return max(counts)


def _identity(fn: Callable[..., Any]) -> str:
    """What tells functions apart, the same in every process."""
    return repr((fn.__module__, fn.__qualname__, _code_identity(getattr(fn, "__code__", None))))


def _code_identity(code: Any) -> Any:
    if not isinstance(code, CodeType):
        return repr(code)
    constants = tuple(map(_code_identity, code.co_consts))
    return (code.co_code.hex(), code.co_names, code.co_varnames, constants)
