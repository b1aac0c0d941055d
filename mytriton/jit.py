"""``@mytriton.jit``: tracing, specialisation and launches."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable
from typing import Any, overload

import torch

from mytriton import _C
from mytriton.arguments import (
    Kind,
    check_devices,
    check_grid,
    constexpr_key,
    is_numpy,
    kind_of,
    kind_or_type,
    unwrap,
)
from mytriton.compiled import CompiledKernel
from mytriton.errors import CompileError
from mytriton.explain import dump
from mytriton.source import return_place, user_places
from mytriton.traced import constexpr, is_tracing, tensor, tracing, with_traced_builtins

Grid = int | tuple[int, ...] | Callable[[dict[str, Any]], Any]


def _is_constexpr(annotation: Any) -> bool:
    if isinstance(annotation, str):  # from __future__ import annotations
        return annotation.rpartition(".")[2] == "constexpr"
    return annotation is constexpr


def _constant_in_graphs(fn: Callable[..., Any]) -> Callable[..., Any]:
    # What torch.compiler.assume_constant_result does; that one also imports all of torch._dynamo,
    # which takes longer than everything else here.
    fn.__dict__["_dynamo_marked_constant"] = True
    return fn


class Parameter:
    """One parameter of a kernel: its name, whether it is a constexpr, its default, and how it may
    be given."""

    def __init__(self, parameter: inspect.Parameter) -> None:
        self.name = parameter.name
        self.is_constexpr = _is_constexpr(parameter.annotation)
        self.default = unwrap(parameter.default)
        self.by_position = parameter.kind is not parameter.KEYWORD_ONLY
        self.by_name = parameter.kind is not parameter.POSITIONAL_ONLY

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty


class JITFunction:
    """A kernel. ``kernel[grid](*args, **kwargs)`` compiles it for the arguments' kinds and runs it.

    ``grid`` is an int, a tuple of 1 to 3 ints, or a function that gets a dict of the arguments by
    name and returns one of these. Parameters annotated ``tl.constexpr`` are Python values while
    the kernel is traced; the others are tensors (of a dtype that ``tl`` names, on the CPU or on one
    CUDA device), ints (int32 where it fits, else int64), floats (float32) or bools. With NumPy
    arrays in place of tensors the kernel is only compiled.

    A launch returns a :class:`CompiledKernel` - inside torch.compile, None. It raises TypeError,
    ValueError or OverflowError for wrong arguments and CompileError for a wrong kernel, always
    before anything is written to any tensor.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.name: str = getattr(fn, "__name__", type(fn).__name__)
        self.parameters: list[Parameter] = []
        for parameter in inspect.signature(fn).parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(
                    f"{self.name}: a kernel has a fixed list of parameters; got '{parameter}'"
                )
            self.parameters.append(Parameter(parameter))
        self._compiled: dict[Any, CompiledKernel] = {}
        self._cache = _C.LaunchCache(
            [
                (p.name, p.is_constexpr, p.by_position, p.by_name, ... if p.required else p.default)
                for p in self.parameters
            ],
            self._launch,
        )

    def __getitem__(self, grid: Grid) -> Callable[..., Any]:
        if torch.compiler.is_dynamo_compiling():
            return functools.partial(self._launch_in_graph, grid)
        return self._cache.bind(grid)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Inside another kernel: an ordinary call. Elsewhere a launch needs a grid."""
        if is_tracing():
            return with_traced_builtins(self.fn)(*args, **kwargs)
        raise RuntimeError(
            f"{self.name} is a kernel and needs a grid: {self.name}[grid](...), where grid "
            "is the number of programs"
        )

    def __reduce__(self) -> str:
        # Pickled and copied as functions are: by name.
        return str(getattr(self, "__qualname__", self.name))

    def __repr__(self) -> str:
        return f"<mytriton.jit kernel {self.name}>"

    def compile(self, *args: Any, target: str | None = None, **kwargs: Any) -> CompiledKernel:
        """Compiles without running; no GPU is needed for any target.

        Arguments are those of a launch. In place of a tensor or a number its type will do:
        ``"*fp32"``, ``"*bf16"``, ``"*i64"`` or a torch.dtype; ``"fp32"``, ``"i32"``, ``"i1"``.
        ``target`` ("sm_90a") is the architecture of ``.asm["ptx"]`` and ``.asm["cubin"]``; without
        one, the current CUDA device's or sm_80. A kernel with a parameter called target takes it
        from ``compile(...).for_target("sm_90a")``.
        """
        names = [p.name for p in self.parameters]
        if target is not None and "target" in names:
            kwargs["target"], target = target, None
        bound = self._bind(args, kwargs)
        kinds = tuple(
            kind_or_type(p.name, bound[p.name]) for p in self.parameters if not p.is_constexpr
        )
        compiled = self._specialise(kinds, bound, compile_only=False)
        return compiled if target is None else compiled.for_target(target)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """Each Python line of the kernel, and below it its SSA, CUDA and CPU text.

        Arguments as for :meth:`compile`; nothing runs.
        """
        return self.compile(*args, **kwargs).explain()

    def clear_cache(self) -> None:
        """Forgets every specialisation: the next launch traces the function again."""
        self._compiled.clear()
        self._cache.clear()

    # --- a launch, step by step ------------------------------------------------------------------

    def _launch(self, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CompiledKernel:
        """A launch that the C path does not know yet, or that is wrong."""
        if is_tracing():
            raise RuntimeError(
                f"{self.name}: a kernel cannot be launched inside another; "
                f"a call without a grid, {self.name}(...), does its work there"
            )
        bound = self._bind(args, kwargs)
        run_time = {p.name: bound[p.name] for p in self.parameters if not p.is_constexpr}
        kinds = tuple(kind_of(name, value) for name, value in run_time.items())
        check_devices(run_time)
        sizes = check_grid(grid(dict(bound)) if callable(grid) else grid)
        compile_only = any(is_numpy(value) for value in run_time.values())
        compiled = self._specialise(kinds, bound, compile_only)
        if compile_only:
            _ = compiled.cuda_src  # a kernel that CUDA text cannot express is refused here
        else:
            name = str(compiled.op_name).partition("::")[2]
            getattr(torch.ops.mytriton, name).default(*run_time.values(), *sizes)
        return compiled

    def _launch_in_graph(self, grid: Any, *args: Any, **kwargs: Any) -> None:
        """A launch that torch.compile traces: it sees a call of the op, fetched by name."""
        bound = self._bind(args, kwargs)
        run_time = []
        kinds = []
        constants = []
        for parameter in self.parameters:
            value = bound[parameter.name]
            if parameter.is_constexpr:
                constants.append((parameter.name, value))
            else:
                run_time.append(value)
                kinds.append(kind_of(parameter.name, value))
        sizes = check_grid(grid(dict(bound)) if callable(grid) else grid)
        name = self._op_name(tuple(kinds), tuple(constants))
        getattr(torch.ops.mytriton, name).default(*run_time, *sizes)

    @_constant_in_graphs
    def _op_name(self, kinds: tuple[Kind, ...], constants: tuple[tuple[str, Any], ...]) -> str:
        # Only the name crosses into the graph: Dynamo cannot take the op itself from here.
        compiled = self._specialise(kinds, dict(constants), compile_only=False)
        return str(compiled.op_name).partition("::")[2]

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Parameter name -> argument, in the order of the parameters."""
        by_position = [p for p in self.parameters if p.by_position]
        if len(args) > len(by_position):
            raise TypeError(
                f"{self.name}: expected at most {len(by_position)} arguments by position, "
                f"got {len(args)}"
            )
        given = {p.name: arg for p, arg in zip(by_position, args, strict=False)}
        by_name = [p.name for p in self.parameters if p.by_name]
        for name, value in kwargs.items():
            if name not in by_name:
                expected = ", ".join(by_name)
                raise TypeError(
                    f"{self.name}: unexpected argument '{name}'; the parameters are {expected}"
                )
            if name in given:
                raise TypeError(f"{self.name}: argument '{name}' is given twice")
            given[name] = value
        bound = {}
        for parameter in self.parameters:
            if parameter.name not in given and parameter.required:
                raise TypeError(f"{self.name}: argument '{parameter.name}' is missing")
            bound[parameter.name] = unwrap(given.get(parameter.name, parameter.default))
        return bound

    def _specialise(
        self, kinds: tuple[Kind, ...], bound: dict[str, Any], compile_only: bool
    ) -> CompiledKernel:
        constants = {p.name: bound[p.name] for p in self.parameters if p.is_constexpr}
        key = (kinds, tuple(constexpr_key(*each) for each in constants.items()), compile_only)
        compiled = self._compiled.get(key)
        if compiled is None:  # of two threads that come here at once, both get the first one's
            compiled = self._compile(kinds, constants, compile_only)
            compiled = self._compiled.setdefault(key, compiled)
        return compiled

    def _compile(
        self, kinds: tuple[Kind, ...], constants: dict[str, Any], compile_only: bool
    ) -> CompiledKernel:
        artifact = _C.Artifact(self._trace(kinds, constants))
        # The hash covers all that the op does and its signature, so equal names are equal ops, in
        # this process and in torch's caches on disk.
        identity = f"{self.__module__}\n{artifact.stage('ssa')}"
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in self.name)
        op_name = f"{name.strip('_') or 'kernel'}_{digest}"
        dump(artifact, op_name)
        if compile_only:
            return CompiledKernel(artifact, self.name, None)
        artifact.register_op(op_name)
        return CompiledKernel(artifact, self.name, f"mytriton::{op_name}")

    def _trace(self, kinds: tuple[Kind, ...], constants: dict[str, Any]) -> _C.Trace:
        """Executes the function with symbolic values; what it did is in the trace."""
        trace = _C.Trace(self.name)
        arguments: dict[str, Any] = dict(constants)
        run_time = [p.name for p in self.parameters if not p.is_constexpr]
        for name, (kind, element) in zip(run_time, kinds, strict=True):
            param = trace.pointer_param if kind == "tensor" else trace.scalar_param
            arguments[name] = tensor(trace, param(name, element))
        # Positional-only parameters exist: all but keyword-only ones are passed by position.
        signature = inspect.signature(self.fn)
        by_name = {
            p.name: arguments.pop(p.name)
            for p in signature.parameters.values()
            if p.kind is p.KEYWORD_ONLY
        }
        positional = [arguments[name] for name in signature.parameters if name in arguments]
        try:
            with tracing(trace):
                returned = with_traced_builtins(self.fn)(*positional, **by_name)
        except CompileError as error:
            error.callers = user_places(error.__traceback__)[1:]
            # What lies between the user's frames and the error is ours, and of no use to them.
            raise error.with_traceback(None) from error.__cause__
        except Exception as error:
            # The user's mistake in the kernel: a misspelt name, a type that does not fit, ...
            places = user_places(error.__traceback__)
            message = f"{type(error).__name__}: {error}"
            wrapped = CompileError(message, places[0] if places else None)
            wrapped.callers = places[1:]
            raise wrapped from error
        if returned is not None:
            raise CompileError(
                f"{self.name}: a kernel returns nothing, got {type(returned).__name__}; "
                "store results through a pointer",
                return_place(self.fn.__code__) if hasattr(self.fn, "__code__") else None,
            )
        return trace


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(fn: None = None) -> Callable[[Callable[..., Any]], JITFunction]: ...
def jit(fn: Callable[..., Any] | None = None) -> Any:
    """Makes a kernel of a Python function; used as ``@mytriton.jit`` or ``@mytriton.jit()``."""
    if fn is None:
        return JITFunction
    if not callable(fn):
        raise TypeError(f"jit: expected a function, got {type(fn).__name__}")
    return JITFunction(fn)
