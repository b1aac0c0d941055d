"""``@mytriton.jit``: specialisation and launches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, overload

import torch

from mytriton import _C
from mytriton.arguments import (
    Kind,
    check_devices,
    check_grid,
    is_numpy,
    kind_of,
    kind_or_type,
    passed,
)
from mytriton.compiled import CompiledKernel, op_name_of
from mytriton.constexprs import constexpr_key, is_itself
from mytriton.errors import CompileError
from mytriton.explain import dump
from mytriton.parameters import (
    OPTIONS,
    Options,
    Parameter,
    bind,
    check_jit_options,
    options_of,
    parameters_of,
    signature_of,
)
from mytriton.recording import Kernel, current_recorder
from mytriton.shapes_only import is_shapes_only
from mytriton.source import caller_place, text_of
from mytriton.traced import constexpr, is_tracing, tensor, unwrap
from mytriton.tracing import trace_kernel
from mytriton.variants import Variant, Variants

# A global: each launch asks.
_is_compiling = torch.compiler.is_dynamo_compiling

Grid = int | tuple[int, ...] | Callable[[dict[str, Any]], Any]


def constant_in_graphs(fn: Callable[..., Any]) -> Callable[..., Any]:
    """What torch.compiler.assume_constant_result does; that one also imports all of torch._dynamo,
    which takes longer than everything else here."""
    fn.__dict__["_dynamo_marked_constant"] = True
    return fn


class JITFunction(Kernel):
    """A kernel. ``kernel[grid](*args, **kwargs)`` compiles it for the arguments' kinds and runs it.

    ``grid`` is an int, a tuple of 1 to 3 ints, or a function that gets a dict of the arguments by
    name and returns one of these. Parameters annotated ``tl.constexpr`` are Python values while
    the kernel is traced; the others are tensors (of a dtype that ``tl`` names, on the CPU or on one
    CUDA device), ints (int32 where it fits, else int64), floats (float32), bools or None, a
    constant; a TensorDescriptor stands for a tensor, its sizes and its strides. With NumPy arrays
    in place of tensors the kernel is only compiled. Triton's options (``num_warps``, ...) may be
    given by keyword; they are checked, and change nothing.

    A launch returns a :class:`CompiledKernel` - inside torch.compile, None. It raises TypeError,
    ValueError or OverflowError for wrong arguments and CompileError for a wrong kernel, always
    before anything is written to any tensor.

    What was compiled is kept for up to 1,024 sets of kinds and constexprs, and for each for up to
    16 sets of what the kernel read outside; beyond, the least recently used go, with a
    RuntimeWarning the first time. Ops and loaded binaries stay until the process ends.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        debug: bool = False,
        do_not_specialize: Iterable[int | str] = (),
    ) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.debug = debug
        self._do_not_specialize = frozenset(do_not_specialize)
        self.name: str = getattr(fn, "__name__", type(fn).__name__)
        self._read_signature()
        self._variants = Variants(self.name, lambda: self._cache.recent())

    def _read_signature(self) -> None:
        self._signature = signature = signature_of(self.fn)
        self.params: list[Parameter] = parameters_of(self.name, self.fn, self._do_not_specialize)
        self._cache = _C.LaunchCache(
            [p.for_binding() for p in self.params],
            list(OPTIONS),
            functools.partial(self._launch, signature),
        )

    def __getitem__(self, grid: Grid) -> Callable[..., Any]:
        if _is_compiling():
            return functools.partial(self._launch_in_graph, grid)
        return self._cache.bind(grid)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Inside another kernel: an ordinary call. Elsewhere a launch needs a grid."""
        if is_tracing():
            return self._call(*args, **kwargs)
        raise RuntimeError(
            f"{self.name} is a kernel and needs a grid: {self.name}[grid](...), where grid "
            "is the number of programs"
        )

    @property
    def arg_names(self) -> list[str]:
        """The parameters' names; ``params`` says more of each."""
        return [p.name for p in self.params]

    @property
    def src(self) -> str:
        """The text of the function, from its ``def`` on. OSError where there is no source file."""
        return text_of(self.fn)

    @property
    def variants(self) -> list[CompiledKernel]:
        """What is kept of what this kernel was compiled to, in no order that means anything."""
        return self._variants.compiled()

    def __reduce__(self) -> str:
        # Pickled and copied as functions are: by name.
        return str(getattr(self, "__qualname__", self.name))

    def __repr__(self) -> str:
        return f"<mytriton.jit kernel {self.name}>"

    def run(self, *args: Any, grid: Grid, warmup: bool = False, **kwargs: Any) -> Any:
        """``kernel[grid](*args, **kwargs)``, or with `warmup` only :meth:`warmup`."""
        if warmup:
            return self.compile(*args, **kwargs)
        return self[grid](*args, **kwargs)

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> CompiledKernel:
        """:meth:`compile`, under Triton's name. No kernel depends on its `grid`."""
        return self.compile(*args, **kwargs)

    def compile(self, *args: Any, target: str | None = None, **kwargs: Any) -> CompiledKernel:
        """Compiles without running; no GPU is needed for any target.

        Arguments are those of a launch. In place of a tensor or a number its type will do:
        ``"*fp32"``, ``"*bf16"``, ``"*i64"`` or a torch.dtype; ``"fp32"``, ``"i32"``, ``"i1"``.
        ``target`` ("sm_90a") is the architecture of ``.asm["ptx"]`` and ``.asm["cubin"]``; without
        one, the current CUDA device's or sm_80. A kernel with a parameter called target takes it
        from ``compile(...).for_target("sm_90a")``.
        """
        names = [p.name for p in self.params]
        if target is not None and "target" in names:
            kwargs["target"], target = target, None
        bound = self._bind(args, kwargs)
        kinds = tuple(
            kind_or_type(p.name, bound[p.name]) for p in self.params if not p.is_constexpr
        )
        options = options_of(self.params, kwargs)
        compiled = self._specialise(kinds, bound, options, compile_only=False).compiled
        return compiled if target is None else compiled.for_target(target)

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """Each Python line of the kernel, and below it its SSA, CUDA and CPU text.

        Arguments as for :meth:`compile`; nothing runs.
        """
        return self.compile(*args, **kwargs).explain()

    def clear_cache(self) -> None:
        """Forgets every specialisation: the next launch traces the function again."""
        self._variants.clear()
        self._cache.clear()

    # --- a launch, step by step ------------------------------------------------------------------

    def _launch(
        self,
        signature: tuple[Any, ...],
        grid: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[CompiledKernel | None, list[tuple[int, Any, str, Any]] | None]:
        """A launch that the C path does not know yet, or that is wrong. Beside the kernel: what
        that path has to check before it runs it again; None: it cannot tell. It bound the call by
        this signature, which may be no longer the function's. No kernel where only shapes are
        asked for."""
        if is_tracing():
            raise RuntimeError(
                f"{self.name}: a kernel cannot be launched inside another; "
                f"a call without a grid, {self.name}(...), does its work there"
            )
        if is_shapes_only():
            return None, None
        bound = self._bind(args, kwargs)
        run_time = {p.name: bound[p.name] for p in self.params if not p.is_constexpr}
        kinds = tuple(kind_of(name, value) for name, value in run_time.items())
        check_devices(run_time)
        sizes = check_grid(grid(dict(bound)) if callable(grid) else grid)
        compile_only = any(is_numpy(value) for value in run_time.values())
        options = options_of(self.params, kwargs)
        variant = self._specialise(kinds, bound, options, compile_only)
        compiled = variant.compiled
        if compile_only:
            _ = compiled.cuda_src  # a kernel that CUDA text cannot express is refused here
            return compiled, None
        checks = variant.reads.checks()
        name = str(compiled.op_name).partition("::")[2]
        getattr(torch.ops.mytriton, name).default(*passed(run_time.values()), *sizes)
        known = signature is self._signature
        known &= all(is_itself(bound[p.name]) for p in self.params if p.is_constexpr)
        known &= not any(isinstance(each, constexpr) for each in (*args, *kwargs.values()))
        return compiled, checks if known else None

    def _launch_in_graph(self, grid: Any, *args: Any, **kwargs: Any) -> None:
        """A launch that torch.compile traces: it sees a call of the op, fetched by name."""
        bound = bind(self.name, self.params, args, kwargs)
        run_time = []
        kinds = []
        constants = []
        for parameter in self.params:
            value = bound[parameter.name]
            if parameter.is_constexpr:
                constants.append((parameter.name, value))
            else:
                kinds.append(kind_of(parameter.name, value))
                run_time += passed([value])
        sizes = check_grid(grid(dict(bound)) if callable(grid) else grid)
        options = options_of(self.params, kwargs)
        name = self._op_name(tuple(kinds), tuple(constants), tuple(options))
        getattr(torch.ops.mytriton, name).default(*run_time, *sizes)

    @constant_in_graphs
    def _op_name(
        self,
        kinds: tuple[Kind, ...],
        constants: tuple[tuple[str, Any], ...],
        options: tuple[int, bool, bool],
    ) -> str:
        # Only the name crosses into the graph: Dynamo cannot take the op itself from here.
        asked = Options(*options)
        compiled = self._specialise(kinds, dict(constants), asked, compile_only=False).compiled
        return str(compiled.op_name).partition("::")[2]

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Parameter name -> argument, in the order of the parameters."""
        if self._signature != signature_of(self.fn):  # someone gave the function another
            self._read_signature()
        return bind(self.name, self.params, args, kwargs)

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """This kernel's work, as part of the one that is being traced."""
        by_position = [p for p in self.params if p.by_position]
        given = dict(zip((p.name for p in by_position), args, strict=False)) | kwargs
        for parameter in self.params:
            value = given.get(parameter.name)
            if parameter.is_constexpr and isinstance(value, tensor):
                raise CompileError(
                    f"{self.name}: '{parameter.name}' is a tl.constexpr, got {value!r}",
                    caller_place(),
                )
        named = {name: unwrap(value) for name, value in kwargs.items()}
        return current_recorder().callable_of(self.fn)(*map(unwrap, args), **named)

    def _specialise(
        self, kinds: tuple[Kind, ...], bound: dict[str, Any], options: Options, compile_only: bool
    ) -> Variant:
        constants = {p.name: bound[p.name] for p in self.params if p.is_constexpr}
        fixed = tuple(constexpr_key(*each) for each in constants.items())
        key = (kinds, fixed, options, compile_only)

        def make() -> Variant:
            trace = _C.Trace(self.name, *options)
            reads = trace_kernel(trace, self.fn, self.params, kinds, constants, self.debug)
            return Variant(self._compile(trace, compile_only), reads)

        variant, dropped = self._variants.get(key, make)
        if dropped:
            self._cache.forget(dropped)
        return variant

    def _compile(self, trace: _C.Trace, compile_only: bool) -> CompiledKernel:
        artifact = _C.Artifact(trace)
        op_name = op_name_of(artifact, self.__module__, self.name)
        dump(artifact, op_name)
        if compile_only:
            return CompiledKernel(artifact, self.name, None)
        artifact.register_op(op_name)
        return CompiledKernel(artifact, self.name, f"mytriton::{op_name}")


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(
    fn: None = None,
    *,
    version: Any = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
    repr: Callable[..., Any] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...
def jit(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Makes a kernel of a Python function; used as ``@mytriton.jit`` or ``@mytriton.jit()``.

    Triton's options are accepted: ``do_not_specialize``, ``do_not_specialize_on_alignment``,
    ``debug``, ``noinline``, ``repr``, ``launch_metadata`` and ``version``. But for ``debug``, which
    turns ``tl.device_assert`` on, they have no effect: no kernel is specialised on the values of
    numbers or the alignment of pointers, and helpers are always inlined.
    """
    check_jit_options(options)
    debug, names = bool(options.get("debug")), options.get("do_not_specialize") or ()
    if fn is None:
        return functools.partial(JITFunction, debug=debug, do_not_specialize=names)
    if not callable(fn):
        raise TypeError(f"jit: expected a function, got {type(fn).__name__}")
    return JITFunction(fn, debug, names)
