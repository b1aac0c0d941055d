"""Executes a kernel's function with symbolic values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mytriton import _C
from mytriton.arguments import Kind
from mytriton.errors import CompileError
from mytriton.language import descriptors
from mytriton.parameters import Parameter
from mytriton.reads import Reads
from mytriton.recording import Recorder
from mytriton.source import most_entered, return_place, user_places
from mytriton.traced import tensor, tracing


def trace_kernel(
    trace: _C.Trace,
    fn: Any,
    parameters: list[Parameter],
    kinds: tuple[Kind, ...],
    constants: dict[str, Any],
    debug: bool = False,
) -> Reads:
    """Puts into the trace what the function does with arguments of these kinds, and gives what it
    read. CompileError where it is wrong."""
    recorder = Recorder()
    with user_errors(recorder), tracing(trace, debug), recorder.recording():
        positional, by_name = _arguments(trace, recorder, parameters, kinds, constants)
        returned = recorder.callable_of(fn)(*positional, **by_name)
        recorder.finish()
    if returned is not None:
        raise CompileError(
            f"{trace.name}: a kernel returns nothing, got {type(returned).__name__}; "
            "store results through a pointer",
            return_place(fn.__code__) if hasattr(fn, "__code__") else None,
        )
    recorder.close()
    return recorder.reads


@contextmanager
def user_errors(recorder: Recorder) -> Iterator[None]:
    """Makes a CompileError at the user's line of what goes wrong while their function is traced."""
    try:
        yield
    except CompileError as error:
        error.callers = user_places(error.__traceback__)[1:]
        # What lies between the user's frames and the error is ours, and of no use to them.
        raise error.with_traceback(None) from error.__cause__
    except RecursionError as error:
        raise _endless(error) from None
    except Exception as error:
        # The user's mistake in the kernel: a misspelt name, a type that does not fit, ...
        places = user_places(error.__traceback__)
        message = f"{type(error).__name__}: {error}"
        if isinstance(error, NameError):
            message = recorder.control.explanation(error, error.__traceback__) or message
        wrapped = CompileError(message, places[0] if places else None)
        wrapped.callers = places[1:]
        raise wrapped from error


def _arguments(
    trace: _C.Trace,
    recorder: Recorder,
    parameters: list[Parameter],
    kinds: tuple[Kind, ...],
    constants: dict[str, Any],
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments by position and by name, as the function gets them."""
    of_kind = iter(kinds)
    names = {each.name for each in parameters}
    positional: list[Any] = []
    by_name: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.is_constexpr:
            what = f"argument '{parameter.name}'"
            value = recorder.wrap(constants[parameter.name], what)
        else:
            value = _traced(trace, parameter.name, next(of_kind), names)
        # Positional-only parameters exist: all but keyword-only ones are passed by position.
        if parameter.by_position:
            positional.append(value)
        else:
            by_name[parameter.name] = value
    return positional, by_name


def _traced(trace: _C.Trace, name: str, kind: Kind, names: set[str]) -> Any:
    what, element = kind[:2]
    if what == "none":
        return None
    if what == "descriptor":
        return _descriptor(trace, name, kind, names)
    param = trace.pointer_param if what == "tensor" else trace.scalar_param
    return tensor(trace, param(name, element))


def _descriptor(
    trace: _C.Trace, name: str, kind: Kind, names: set[str]
) -> descriptors.tensor_descriptor:
    """The parameters that the parts of a TensorDescriptor are passed for, as one value."""
    _, element, block_shape, padding = kind

    def param(part: str) -> tensor:
        free = f"{name}_{part}"
        while free in names:
            free += "_"
        names.add(free)
        return tensor(trace, trace.scalar_param(free, "i64"))

    base = tensor(trace, trace.pointer_param(name, element))
    shape = tuple(param(f"size_{axis}") for axis in range(len(block_shape)))
    strides = [param(f"stride_{axis}") for axis in range(len(block_shape) - 1)]
    one = tensor(trace, trace.cast(trace.int_constant(1), "i64", False, None))
    return descriptors.described(
        f"argument '{name}'", base, shape, (*strides, one), block_shape, padding
    )


def _endless(error: RecursionError) -> CompileError:
    """Names the function that calls itself without end, and shows each call once."""
    places = user_places(error.__traceback__)
    # Not from the innermost one on: that is where the recursion happened to be when it was stopped.
    repeated = [i for i, each in enumerate(places) if places.count(each) > 1][:1]
    places = list(dict.fromkeys(places[repeated[0] if repeated else 0 :]))
    function = most_entered(error.__traceback__)
    made = CompileError(
        f"RecursionError: {function} calls itself without end; what ends it must be known while "
        "the kernel is compiled, as a tl.constexpr is",
        places[0] if places else None,
    )
    made.callers = places[1:]
    return made
