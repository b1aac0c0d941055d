"""Stages that follow each other within one time limit; each has its own, too.

What a stage starts is ended with it. A stage that finds no time, or whose forerunner failed, is
skipped, and says why.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PASSED, FAILED, TIMED_OUT, SKIPPED = "passed", "failed", "timed out", "skipped"
LEAST = 5.0  # seconds, below which no stage is begun
GRACE = 3.0  # seconds between a request to stop and the end


class Limit:
    """A moment by which something must be over."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        return max(0.0, self._end - self._clock())


class StageFailed(Exception):
    """Says why in a line or a few; a stage raises it."""


class OutOfTime(Exception):
    """The stage's limit has passed; what it says tells how far the stage came."""


@dataclass
class Stage:
    """`run` gets the stage's limit and returns a note; it raises StageFailed or OutOfTime.

    `needs`: stages without which it makes no sense.
    """

    name: str
    seconds: float
    run: Callable[[Limit], str]
    needs: Sequence[str] = ()


@dataclass
class Outcome:
    name: str
    status: str
    note: str
    seconds: float = 0.0
    limit: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "note": self.note,
            "seconds": round(self.seconds, 1),
            "limit": round(self.limit, 1),
        }


def _run(stage: Stage, limit: Limit) -> tuple[str, str]:
    try:
        return PASSED, stage.run(limit)
    except StageFailed as error:
        return FAILED, str(error)
    except OutOfTime as error:
        return TIMED_OUT, str(error)
    except Exception as error:  # a fault of ours must not lose what other stages found
        return FAILED, f"{type(error).__name__}: {error}"


def run_stages(
    stages: Iterable[Stage], seconds: float, told: Callable[[Outcome], None] = lambda _: None
) -> list[Outcome]:
    """Runs them in order; `told` hears of each when it is over."""
    whole = Limit(seconds)
    outcomes: dict[str, Outcome] = {}
    for stage in stages:
        unmet = [each for each in stage.needs if outcomes[each].status != PASSED]
        if unmet:
            outcome = Outcome(stage.name, SKIPPED, f"needs {', '.join(unmet)}")
        elif whole.left() < min(LEAST, stage.seconds):
            note = f"no time left of {seconds:.0f} s"
            outcome = Outcome(stage.name, SKIPPED, note)
        else:
            given = min(stage.seconds, whole.left())
            start = time.monotonic()
            status, note = _run(stage, Limit(given))
            outcome = Outcome(stage.name, status, note, time.monotonic() - start, given)
        outcomes[stage.name] = outcome
        told(outcome)
    return list(outcomes.values())


@dataclass
class Finished:
    """A process that has ended; `code` is None where it ran out of time."""

    code: int | None
    output: str = field(repr=False)

    def tail(self, lines: int = 12) -> str:
        return "\n".join(self.output.strip().splitlines()[-lines:])


def _stop(process: subprocess.Popen[Any]) -> None:
    """Ends the process and all that it started: they are a group of their own."""
    for each in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, each)
        try:
            process.wait(GRACE)
            if each == signal.SIGTERM:
                continue  # what it started may be deaf to that
        except subprocess.TimeoutExpired:
            continue


def run_process(
    command: Sequence[str | Path], limit: Limit, log: Path, env: dict[str, str] | None = None
) -> Finished:
    """Runs a command with its output in the file `log`, within the limit."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(each) for each in command],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        code: int | None = None
        try:
            code = process.wait(limit.left())
        except subprocess.TimeoutExpired:
            pass
        finally:
            if code is None:
                _stop(process)
    return Finished(code, log.read_text(errors="replace"))
