"""What a kernel was compiled to: by the arguments' kinds and constexprs, and by what was read."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mytriton.compiled import CompiledKernel
from mytriton.reads import Reads
from mytriton.source import warn_user

LIMIT = 1024  # keys of one kernel that are kept
VARIANTS = 16  # of one key


class _KeyLocks:
    """A lock for each key that is being worked on; in a forked child all are free."""

    def __init__(self) -> None:
        self.guard = threading.RLock()  # the collector may run a launch while it is held
        self._locks: dict[Any, tuple[threading.RLock, list[None]]] = {}

    @contextmanager
    def holding(self, key: Any) -> Iterator[None]:
        with self.guard:
            lock, users = self._locks.setdefault(key, (threading.RLock(), []))
            users.append(None)
        try:
            with lock:
                yield
        finally:
            with self.guard:
                users.pop()
                if not users:
                    self._locks.pop(key, None)


key_locks = _KeyLocks()
os.register_at_fork(after_in_child=key_locks.__init__)  # type: ignore[misc]


class Variant:
    """One compiled kernel, and what its trace read."""

    __slots__ = ("compiled", "reads")

    def __init__(self, compiled: CompiledKernel, reads: Reads) -> None:
        self.compiled = compiled
        self.reads = reads


class Variants:
    """The variants of one kernel.

    Of one key VARIANTS are kept, and LIMIT keys; then a quarter of the keys goes, those that were
    not used for longest. The first time there is a warning. The ops stay: torch knows them by name.
    `recent` gives what the launch path in C found since it was last asked, last used last.
    """

    def __init__(self, name: str, recent: Callable[[], list[CompiledKernel]]) -> None:
        self._name = name
        self._recent = recent
        self._by_key: OrderedDict[Any, tuple[Variant, ...]] = OrderedDict()
        self._warned = False

    def find(self, key: Any) -> Variant | None:
        """The variant whose reads all hold now."""
        for variant in self._by_key.get(key, ()):
            if variant.reads.hold():
                return variant
        return None

    def get(self, key: Any, make: Callable[[], Variant]) -> tuple[Variant, list[CompiledKernel]]:
        """The variant that holds now, made where there is none, and what was dropped for it. Of
        threads that ask for one key at once, one makes it."""
        found = self.find(key)
        if found is None:
            with key_locks.holding((id(self), key)):
                found = self.find(key)
                if found is None:
                    found = make()
                    return found, self._add(key, found)
        with key_locks.guard:
            known = self._by_key.get(key)
            if known:
                self._by_key.move_to_end(key)
                if found is not known[0] and found in known:
                    others = (each for each in known if each is not found)
                    self._by_key[key] = (found, *others)
        return found, []

    def compiled(self) -> list[CompiledKernel]:
        with key_locks.guard:
            return [each.compiled for known in self._by_key.values() for each in known]

    def clear(self) -> None:
        with key_locks.guard:
            self._by_key.clear()

    def _add(self, key: Any, variant: Variant) -> list[CompiledKernel]:
        with key_locks.guard:
            kept = (variant, *self._by_key.get(key, ()))
            self._by_key[key] = kept[:VARIANTS]
            self._by_key.move_to_end(key)
            outdated = kept[VARIANTS:]
            unused = self._drop_unused(key) if len(self._by_key) > LIMIT else []
            warn = bool(outdated or unused) and not self._warned
            self._warned |= warn
        if warn and outdated:
            names = ", ".join(f"'{each}'" for each in dict.fromkeys(outdated[0].reads.changed()))
            self._warn(
                f"compiled {VARIANTS} times, as what it reads changed: {names}; "
                "pass that as an argument"
            )
        elif warn:
            self._warn(
                f"compiled for {LIMIT} different constexprs and kinds of arguments; where such a "
                "value need not be known to the compiler, make it a run-time argument"
            )
        return [each.compiled for each in (*outdated, *unused)]

    def _drop_unused(self, new: Any) -> list[Variant]:
        key_of = {id(v.compiled): key for key, known in self._by_key.items() for v in known}
        for compiled in self._recent():
            if id(compiled) in key_of:
                self._by_key.move_to_end(key_of[id(compiled)])
        self._by_key.move_to_end(new)
        dropped: list[Variant] = []
        while len(self._by_key) > LIMIT * 3 // 4:
            dropped += self._by_key.popitem(last=False)[1]
        return dropped

    def _warn(self, message: str) -> None:
        warn_user(f"kernel {self._name}: {message}", RuntimeWarning)
