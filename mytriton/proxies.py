"""Stand-ins through which a kernel reads global variables, and attributes of modules and `self`."""

from __future__ import annotations

import builtins
import functools
import gc
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from mytriton.control_flow.nodes import CONTROL
from mytriton.errors import CompileError
from mytriton.reads import MISSING, Kind
from mytriton.source import caller_place

if TYPE_CHECKING:
    from mytriton.recording import Recorder


def class_dict(kind: type) -> dict[str, Any]:
    """The dict behind `kind.__dict__`, which is but a view."""
    (real,) = gc.get_referents(kind.__dict__)
    assert type(real) is dict
    return real


def _refuse_write(what: str) -> None:
    raise CompileError(
        f"a kernel cannot assign to {what}: Python runs only while the kernel is compiled; store "
        "through a pointer, or use a local variable",
        caller_place(),
    )


class Globals(dict[str, Any]):
    """The global variables of a copied function: those of the real one, noted when they are read.

    Python looks global variables up by __getitem__ where they are in a subclass of dict.
    """

    def __init__(self, recorder: Recorder, real: dict[str, Any]) -> None:
        self._recorder = recorder
        self._real = real
        theirs = real.get("__builtins__", builtins)
        self._builtins: dict[str, Any] = vars(theirs) if isinstance(theirs, ModuleType) else theirs
        self._seen: dict[str, Any] = {CONTROL: recorder.control}
        load = functools.partial(recorder.import_module, real)
        # Python finds `import` this way.
        super().__init__(__builtins__=self._builtins | {"__import__": load})

    def __getitem__(self, name: str) -> Any:
        if name in self._seen:
            return self._seen[name]
        recorder, value = self._recorder, self._real.get(name, MISSING)
        if value is not MISSING:
            seen = recorder.read(Kind.ITEM, self._real, name, value, f"global variable '{name}'")
        else:
            recorder.reads.add(Kind.ITEM, self._real, name, MISSING)
            value = self._builtins.get(name, MISSING)
            recorder.reads.add(Kind.ITEM, self._builtins, name, value)
            if value is MISSING:
                raise KeyError(name)
            seen = recorder.wrap(value, f"builtin '{name}'")
        self._seen[name] = seen
        return seen

    def forget(self) -> None:
        self._seen.clear()

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __contains__(self, name: object) -> bool:
        return self.get(str(name), MISSING) is not MISSING

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_write(f"globals()['{name}']")


# The import system's, and what object has.
_OF_EVERY_MODULE = {*dir(ModuleType("")), "__file__", "__path__", "__cached__"}


class ModuleProxy(ModuleType):
    """A module whose attributes are noted when they are read."""

    def __init__(self, recorder: Recorder, module: ModuleType) -> None:
        super().__init__(module.__name__)
        object.__setattr__(self, "_proxied", (recorder, module))

    def __getattribute__(self, name: str) -> Any:
        recorder, module = object.__getattribute__(self, "_proxied")
        if name == "__dict__":
            return recorder.globals_of(vars(module))
        if name in _OF_EVERY_MODULE:
            return getattr(module, name)
        what = f"attribute '{name}' of the module {module.__name__}"
        names = vars(module)
        if name in names:
            return recorder.read(Kind.ITEM, names, name, names[name], what)
        value = getattr(module, name)  # the module's own __getattr__, or AttributeError
        recorder.reads.add(Kind.ITEM, names, name, names.get(name, MISSING))
        return recorder.read(Kind.ATTRIBUTE, module, name, value, what)

    def __setattr__(self, name: str, value: Any) -> None:
        _refuse_write(f"the attribute '{name}' of the module {self.__name__}")

    def __delattr__(self, name: str) -> None:
        _refuse_write(f"the attribute '{name}' of the module {self.__name__}")


class SelfProxy:
    """An object in whose method tracing goes on; its attributes are noted when they are read."""

    __slots__ = ("_proxied",)

    def __init__(self, recorder: Recorder, value: Any) -> None:
        object.__setattr__(self, "_proxied", (recorder, value))

    def __getattribute__(self, name: str) -> Any:
        recorder, value = object.__getattribute__(self, "_proxied")
        if name == "__class__":
            return type(value)
        what = f"attribute '{name}' of a {type(value).__name__}"
        names: dict[str, Any] = {}
        for kind in type(value).__mro__:
            names = class_dict(kind)
            recorder.reads.add(Kind.ITEM, names, name, names.get(name, MISSING))
            if name in names:
                break
        found = names.get(name, MISSING)
        if isinstance(found, property):
            return recorder.wrap(found.fget, what)(self)
        own = getattr(value, "__dict__", None)
        if own is not None:
            recorder.reads.add(Kind.ITEM, own, name, own.get(name, MISSING))
            if name in own:
                return recorder.wrap(own[name], what)
        if isinstance(found, FunctionType):
            return MethodType(recorder.wrap(found, what), self)
        if isinstance(found, staticmethod):
            return recorder.wrap(found.__func__, what)
        if isinstance(found, classmethod):
            return MethodType(recorder.wrap(found.__func__, what), type(value))
        if found is not MISSING and not hasattr(found, "__get__"):
            return recorder.wrap(found, what)
        return recorder.read(Kind.ATTRIBUTE, value, name, getattr(value, name), what)

    def __setattr__(self, name: str, value: Any) -> None:
        _refuse_write(f"the attribute '{name}' of an object")
