"""What is computed: the user's function, or a gradient derived from one, for each set of types."""

from __future__ import annotations

import functools
import hashlib
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from mytriton import _C
from mytriton.constexprs import constexpr_key
from mytriton.dtypes import DTYPES
from mytriton.elementwise.differentiate import gradient_of, tangent_of
from mytriton.elementwise.kernels import IR_TYPES, TORCH_TYPES, Kernels
from mytriton.elementwise.promotion import InputKind, common_dtype
from mytriton.elementwise.tape import Tape, function_of, record
from mytriton.errors import CompileError
from mytriton.reads import Reads
from mytriton.source import return_place
from mytriton.variants import key_locks


class Case:
    """A function for one set of types of its inputs.

    ``types``: what each input is converted to, as an IR name, or None; ``results``: the dtypes of
    what it returns; ``tape``: its rows; ``wide``: the rows that are computed, of float32 where
    ``tape`` has less; ``native``: what runs it.
    """

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        options: dict[str, Any],
        types: Sequence[str | None],
        recorded: tuple[Tape, Reads | _Both],
    ) -> None:
        self.tape, self.reads = recorded
        self.types = tuple(types)
        results = [self.tape.types[each] for each in self.tape.outputs]
        self.results = tuple(TORCH_TYPES[each] for each in results)
        self.wide = self.tape.widened()
        if self.wide is not self.tape:
            fn, options = function_of(self.wide), {}
        in_f64 = [each == "f64" for each in types]
        self.kernels = Kernels(name, fn, options, types, results)
        self.native = _C.ElementwiseCase(self.results, in_f64, self.kernels.compile)

    @functools.cached_property
    def digest(self) -> str:
        """Of all that it computes; the same in every process."""
        return hashlib.sha256(repr(self.tape.key()).encode()).hexdigest()[:16]


class Function(ABC):
    """Has a :class:`Case` for each set of kinds of inputs and options."""

    def __init__(self, name: str, names: Sequence[str], outputs: int) -> None:
        self.name = name
        self.names = list(names)  # of the inputs
        self.outputs = outputs
        self._cases: dict[Any, tuple[Case, ...]] = {}

    def case(self, kinds: tuple[InputKind, ...], options: dict[str, Any]) -> Case:
        """CompileError where the function is wrong for these types."""
        fixed = tuple(constexpr_key(*each) for each in options.items()) if options else ()
        key = (kinds, fixed)
        found = self._find(key)
        if found is None:
            with key_locks.holding((id(self), key)):  # of threads that ask at once, one makes it
                found = self._find(key)
                if found is None:
                    found = self._make(kinds, options)
                    self._check(found)
                    self._cases[key] = (found, *self._cases.get(key, ())[:15])
        return found

    def _find(self, key: Any) -> Case | None:
        for each in self._cases.get(key, ()):
            if each.reads.hold():
                return each
        return None

    def _check(self, made: Case) -> None:
        if len(made.results) != self.outputs:
            raise CompileError(
                f"{self.name}: expected {self.outputs} output{'s' * (self.outputs != 1)}, got "
                f"{len(made.results)}: write the tuple behind return, or say "
                f"@mytriton.elementwise(outputs={len(made.results)})"
            )

    @abstractmethod
    def _make(self, kinds: tuple[InputKind, ...], options: dict[str, Any]) -> Case: ...


class UserFunction(Function):
    """What was decorated. All inputs are converted to the type that torch's promotion gives."""

    def __init__(self, fn: Callable[..., Any], name: str, names: Sequence[str], outputs: int):
        super().__init__(name, names, outputs)
        self.fn = fn

    def _make(self, kinds: tuple[InputKind, ...], options: dict[str, Any]) -> Case:
        computed = IR_TYPES[common_dtype(kinds)]
        types = [kind and computed for kind in kinds]
        inputs = list(zip(self.names, [computed] * len(kinds), strict=True))
        recorded = record(self.name, self.fn, inputs, options, computed)
        return Case(self.name, self.fn, options, types, recorded)


class Gradient(Function):
    """What flows back through another function: of its inputs and of one input more for each
    output, None where nothing flows, to those inputs that are `wanted`.

    `own`: a function that the user gave, of the same arguments, which returns what flows to each
    input.
    """

    def __init__(
        self,
        function: Function,
        wanted: tuple[bool, ...],
        own: Any = None,
        takes: Sequence[str] = (),
    ) -> None:
        names = _with_fresh(function.names, "grad", function.outputs)
        super().__init__(f"{function.name}_backward", names, sum(wanted))
        self.function = function
        self.wanted = wanted
        self._own = own
        self._takes = takes  # the options that `own` has parameters for

    def _make(self, kinds: tuple[InputKind, ...], options: dict[str, Any]) -> Case:
        count = len(self.function.names)
        case = self.function.case(kinds[:count], options)
        tape = case.tape
        flows = [tape.types[each] for each in tape.outputs]
        given = [kind is not None for kind in kinds[count:]]
        types = [*case.types, *(ir if has else None for ir, has in zip(flows, given, strict=True))]
        if self._own is not None:
            return self._of_user(case, types, options)
        fn = gradient_of(tape, given, self._wanted_of(case))
        inputs = [(n, t) for n, t in zip(self.names, types, strict=True) if t is not None]
        tape, reads = record(self.name, fn, inputs, {}, "f32")
        made = Case(self.name, fn, {}, types, (tape, _Both(case.reads, reads)))
        return made

    def _wanted_of(self, case: Case) -> list[bool]:
        return [w for w, kind in zip(self.wanted, case.types, strict=True) if kind is not None]

    def _of_user(self, case: Case, types: Sequence[str | None], options: dict[str, Any]) -> Case:
        passed = {key: options[key] for key in self._takes}
        own, wanted, name = self._own, self.wanted, self.name
        results = [DTYPES[each] for each in case.types if each is not None]
        inputs = [(n, t or "f32") for n, t in zip(self.names, types, strict=True)]
        tape, reads = record(name, own, inputs, passed, results[0].ir, none_is_zero=True)
        if len(tape.outputs) != len(wanted):
            raise CompileError(
                f"{name}: a backward function returns a value for each of the inputs "
                f"{', '.join(self.function.names)}; got {len(tape.outputs)}",
                return_place(own.__code__) if hasattr(own, "__code__") else None,
            )
        tape.outputs = [node for node, wants in zip(tape.outputs, wanted, strict=True) if wants]
        return Case(name, function_of(tape), {}, types, (tape, _Both(case.reads, reads)))


class Tangents(Function):
    """The tangents of another function's outputs, of its inputs and then of the tangents of those
    inputs that have one, `given`. An output that is no float has 0.0 in place of a tangent."""

    def __init__(self, function: Function, given: tuple[bool, ...]) -> None:
        names = _with_fresh(function.names, "tangent", sum(given))
        super().__init__(f"{function.name}_tangents", names, function.outputs)
        self.function = function
        self.given = given

    def _make(self, kinds: tuple[InputKind, ...], options: dict[str, Any]) -> Case:
        case = self.function.case(kinds[: len(self.function.names)], options)
        tape = case.tape
        along = [each for each, has in zip(case.types, self.given, strict=True) if has]
        types = [*case.types, *along]
        given = [has for has, ir in zip(self.given, case.types, strict=True) if ir is not None]
        of_floats = tangent_of(tape, given)

        def tangents(*values: Any) -> tuple[Any, ...]:
            found = iter(of_floats(*values))
            floats = (DTYPES[tape.types[each]].is_floating() for each in tape.outputs)
            return tuple(next(found) if each else 0.0 for each in floats)

        inputs = [(n, t) for n, t in zip(self.names, types, strict=True) if t is not None]
        recorded, reads = record(self.name, tangents, inputs, {}, "f32")
        return Case(self.name, tangents, {}, types, (recorded, _Both(case.reads, reads)))


def _with_fresh(names: Sequence[str], base: str, count: int) -> list[str]:
    """The names and so many others: a gradient's gradient, and a user's function, may have names
    of this form already."""
    free = (each for i in itertools.count() if (each := f"{base}{i}") not in names)
    return [*names, *itertools.islice(free, count)]


class _Both:
    """What two traces read."""

    def __init__(self, first: Any, second: Any) -> None:
        self._parts = (first, second)

    def hold(self) -> bool:
        return all(each.hold() for each in self._parts)

    def checks(self) -> list[tuple[int, Any, str, Any]] | None:
        parts = [each.checks() for each in self._parts]
        return None if None in parts else [*parts[0], *parts[1]]
