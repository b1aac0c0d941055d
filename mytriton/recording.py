"""Tracing through copies: what a kernel and its helpers read is noted, and handed to them.

A kernel is not executed itself: a copy of its function is, whose global variables are looked up by
a :class:`Globals`, and whose closure variables are in cells of its own. So is each function of the
user that it reaches. What they read - see :meth:`Recorder.wrap` for what that may be - goes into a
:class:`Reads`.
"""

from __future__ import annotations

import builtins
import enum
import functools
import operator
import sys
import threading
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from types import (
    BuiltinFunctionType,
    CellType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import torch

from mytriton.control_flow.rewrite import code_of
from mytriton.control_flow.runtime import Control
from mytriton.dtypes import DType
from mytriton.errors import CompileError
from mytriton.libraries import is_library
from mytriton.proxies import Globals, ModuleProxy, SelfProxy
from mytriton.reads import MISSING, Kind, Reads, value_key
from mytriton.scan import Scanner
from mytriton.source import Place, caller_place
from mytriton.traced import TRACED_BUILTINS, constexpr, note_without_source, tensor
from mytriton.writes import load_place, refuse_writes


class Kernel:
    """What a function becomes by @jit, as far as tracing is concerned."""

    fn: Any


class _Recording(threading.local):
    current: Recorder | None = None


_recording = _Recording()


def current_recorder() -> Recorder:
    """Of the trace that this thread is in."""
    assert _recording.current is not None
    return _recording.current


_IN_C = (
    BuiltinFunctionType,
    MethodDescriptorType,
    ClassMethodDescriptorType,
    WrapperDescriptorType,
    type(object().__str__),
    operator.attrgetter,
    operator.itemgetter,
    operator.methodcaller,
)
_CACHED = type(functools.lru_cache(lambda: None))
_TYPING = (type(list[int]), type(int | str), type(typing.Any))
# Beside int, float, str and bytes: immutable, with nothing in them that could change.
_PLAIN = (type(None), complex, range, type(...), type(NotImplemented))


class Recorder:
    """One trace's copies of functions, and what it has read."""

    def __init__(self) -> None:
        self.reads = Reads()
        self.control = Control()
        self._scanner = Scanner(self.reads)
        self._wrapped: dict[int, tuple[Any, Any]] = {}  # by id; with the value, which keeps the id
        self._globals: dict[int, Globals] = {}
        self._containers: list[tuple[Any, Any, str, Place | None]] = []
        self._open: set[int] = set()  # containers that are being copied

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Directs what happens in this thread to this recorder."""
        outer, _recording.current = _recording.current, self
        try:
            yield
        finally:
            _recording.current = outer

    def close(self) -> None:
        """Lets the copies go, which refer to one another; what was read stays."""
        for each in self._globals.values():
            each.forget()
        self._globals.clear()
        self._wrapped.clear()

    def finish(self) -> None:
        """CompileError where the trace changed a container that it had read."""
        for copy, key, what, place in self._containers:
            if value_key(copy) != key:
                raise CompileError(
                    f"the kernel changes the {type(copy).__name__} of the {what}: Python runs only "
                    "while the kernel is compiled; change a copy, or store through a pointer",
                    place,
                )

    def read(self, kind: Kind, holder: Any, name: str, value: Any, what: str) -> Any:
        """Notes the read, and returns the value as the kernel is to see it."""
        seen = self.wrap(value, what)  # first, as it refuses what has no key
        self.reads.add(kind, holder, name, value)
        return seen

    def wrap(self, value: Any, what: str, place: Place | None = None) -> Any:
        """The value as a kernel sees it; CompileError for what a kernel cannot read.

        Numbers, strings, dtypes, enums, kernels, classes and modules of libraries stay what they
        are; constexprs are unwrapped, the user's functions copied, containers too, with wrapped
        contents, and the user's modules are behind a proxy. `what` names it in messages.
        """
        known = self._wrapped.get(id(value))
        if known is None:
            known = (value, self._wrap(value, what, place))
            self._wrapped[id(value)] = known
        return known[1]

    def _wrap(self, value: Any, what: str, place: Place | None) -> Any:
        if isinstance(
            value, _PLAIN + _TYPING + (DType, torch.dtype, torch.device, enum.Enum, Kernel, tensor)
        ):
            return value
        if isinstance(value, int | float | str | bytes) and type(value).__module__ != "numpy":
            return value
        if isinstance(value, constexpr):
            self.reads.add(Kind.ITEM, value.__dict__, "value", value.value)
            return self.wrap(value.value, what, place)
        if isinstance(value, _IN_C):
            return TRACED_BUILTINS.get(value, value)
        if isinstance(value, FunctionType):
            return value if is_library(value.__globals__) else self.copy(value)
        if isinstance(value, _CACHED):  # without its cache, which would keep values of this trace
            return self.wrap(value.__wrapped__, what, place)
        if isinstance(value, MethodType):
            return self._method(value)
        if isinstance(value, functools.partial):
            function = self.wrap(value.func, what, place)
            arguments = [self.wrap(each, what, place) for each in value.args]
            named = {k: self.wrap(v, what, place) for k, v in value.keywords.items()}
            return functools.partial(function, *arguments, **named)
        if isinstance(value, ModuleType):
            return value if is_library(vars(value)) else ModuleProxy(self, value)
        if value is range:
            return TRACED_BUILTINS[range]
        if isinstance(value, type):
            self._scanner.scan(value)
            return value
        if isinstance(value, tuple) or type(value) in (list, dict, set, frozenset):
            return self._container(value, what, place)
        if type(value).__module__.partition(".")[0] == __package__:  # a kernel with heuristics, ...
            return value
        raise CompileError(_unreadable(value, what), place or caller_place())

    def _container(self, value: Any, what: str, place: Place | None) -> Any:
        if id(value) in self._open:
            raise CompileError(f"the {what} contains itself", place or caller_place())
        self._open.add(id(value))
        try:
            if isinstance(value, dict):
                made: Any = {
                    self.wrap(k, what, place): self.wrap(v, what, place) for k, v in value.items()
                }
            else:
                items = [self.wrap(each, what, place) for each in value]
                if type(value) is tuple or not isinstance(value, tuple):
                    made = type(value)(items)
                elif hasattr(value, "_make"):
                    made = type(value)._make(items)
                else:  # torch.Size, struct_time, ...
                    made = value
        finally:
            self._open.discard(id(value))
        if isinstance(made, list | dict | set):
            self._containers.append((made, value_key(made), what, place or caller_place()))
        return made

    def _method(self, value: MethodType) -> Any:
        owner = value.__self__
        if isinstance(value.__func__, FunctionType) and is_library(value.__func__.__globals__):
            return value
        seen = owner if isinstance(owner, type) else SelfProxy(self, owner)
        if isinstance(owner, type):
            self._scanner.scan(owner)
        return MethodType(self.wrap(value.__func__, "method"), seen)

    def note_untraced(self, fn: Any) -> None:
        """Takes what a function's code names to be read: it is called as it is."""
        self._scanner.scan(fn)

    # --- functions -------------------------------------------------------------------------------

    def callable_of(self, fn: Any) -> Any:
        """The traced form of what @jit was given: a function, or anything that can be called."""
        if isinstance(fn, FunctionType):  # of a library too
            known = self._wrapped.get(id(fn), (fn, fn))[1]
            return self.copy(fn) if known is fn else known
        if isinstance(getattr(fn, "__call__", None), MethodType) and not isinstance(fn, Kernel):  # noqa: B004
            return self._method(fn.__call__)
        return self.wrap(fn, "kernel")

    def copy(self, fn: FunctionType) -> FunctionType:
        """The function, which reads through this recorder."""
        code = fn.__code__
        refuse_writes(code)
        for kind, value in (
            (Kind.CODE, code),
            (Kind.DEFAULTS, fn.__defaults__),
            (Kind.KWDEFAULTS, fn.__kwdefaults__),
        ):
            self.reads.add(kind, fn, "", value)
        traced = code_of(fn)
        if traced is None:
            note_without_source(code)
            traced = code
        cells = tuple(CellType() for _ in fn.__closure__ or ())
        by_name = dict(zip(code.co_freevars, cells, strict=True))
        closure = tuple(by_name[name] for name in traced.co_freevars)
        names = self.globals_of(fn.__globals__)
        made = FunctionType(traced, names, fn.__name__, None, closure or None)
        self._wrapped[id(fn)] = (fn, made)  # before its cells, which may lead back to it
        made.__qualname__, made.__module__ = fn.__qualname__, fn.__module__
        for name, value in fn.__dict__.items():  # attributes that someone gave it
            self.reads.add(Kind.ITEM, fn.__dict__, name, value)
            self._scanner.scan(value)
            made.__dict__[name] = value
        # Tensors as defaults are for launches, which hand all arguments over.
        made.__defaults__ = fn.__defaults__ and tuple(
            each
            if isinstance(each, torch.Tensor)
            else self.wrap(each, f"default of a parameter of {fn.__name__}")
            for each in fn.__defaults__
        )
        made.__kwdefaults__ = fn.__kwdefaults__ and {
            name: self.read(Kind.ITEM, fn.__kwdefaults__, name, each, f"default of '{name}'")
            for name, each in fn.__kwdefaults__.items()
        }
        for name, cell, copy in zip(code.co_freevars, fn.__closure__ or (), cells, strict=True):
            try:
                value = cell.cell_contents
            except ValueError:
                self.reads.add(Kind.CELL, cell, name, MISSING)
                continue
            what = f"closure variable '{name}'"
            copy.cell_contents = self.wrap(value, what, load_place(code, name))
            self.reads.add(Kind.CELL, cell, name, value)
        return made

    def globals_of(self, real: dict[str, Any]) -> Globals:
        if id(real) not in self._globals:
            self._globals[id(real)] = Globals(self, real)
        return self._globals[id(real)]

    def import_module(
        self,
        real: dict[str, Any],
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """What `import` in a kernel does; `real`: the names of the module that it stands in."""
        module = builtins.__import__(name, real, None, fromlist, level)
        return self.read(Kind.ITEM, sys.modules, module.__name__, module, f"module '{name}'")


def _unreadable(value: Any, what: str) -> str:
    kind = type(value)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    said = f"the {what} is a {module}{kind.__qualname__}, which a kernel cannot read"
    if isinstance(value, torch.Tensor):
        return f"{said}: pass it as an argument, or take its number, .item(), outside the kernel"
    if kind.__module__ == "numpy":
        return f"{said}: take its number, .item(), outside the kernel, or pass it as an argument"
    return (
        f"{said}: pass what is needed of it as a tl.constexpr argument, or keep that in a variable "
        "(numbers, strings, dtypes, functions, modules, classes; tuples, lists, dicts and sets)"
    )
