"""What is said where a launch reads a tensor that requires grad: no gradient will reach it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mytriton.source import warn_user


class _Listener(threading.local):
    messages: list[str] | None = None


_listener = _Listener()


def lost(message: str) -> None:
    """A UserWarning at the user's line, unless this thread listens. Called by launches, from C."""
    if _listener.messages is None:
        warn_user(message, UserWarning)
    else:
        _listener.messages.append(message)


@contextmanager
def listening() -> Iterator[list[str]]:
    """Collects what this thread's launches would warn of."""
    before = _listener.messages
    messages: list[str] = []
    _listener.messages = messages
    try:
        yield messages
    finally:
        _listener.messages = before
