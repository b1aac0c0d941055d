"""Scripts in processes of their own, forked from one that has imported mytriton and done nothing
else: to caches they are as cold as a new interpreter, and they start in a hundredth of its time."""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["torch", "mytriton"])


def _execute(script: str, environment: Mapping[str, str], errors: str) -> None:
    os.dup2(os.open(errors, os.O_WRONLY), 2)
    os.environ.clear()
    os.environ.update(environment)
    exec(compile(script, "<script>", "exec"), {"__name__": "__main__"})


class Forked:
    """A script that runs with this process's paths, and its environment or another one."""

    def __init__(self, script: str, environment: Mapping[str, str] = os.environ) -> None:
        handle, self._errors = tempfile.mkstemp(prefix="forked-")
        os.close(handle)
        arguments = (script, dict(environment), self._errors)
        self._process = _context.Process(target=_execute, args=arguments)
        self._process.start()

    def runs(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        self._process.kill()

    def finish(self, timeout: float = 400) -> tuple[int, str]:
        """Its exit status, negative for a signal, and what it wrote to standard error."""
        deadline = time.monotonic() + timeout
        self._process.join(timeout)
        assert time.monotonic() < deadline, f"it runs for more than {timeout} s"
        status = self._process.exitcode
        assert status is not None
        errors = Path(self._errors)
        text = errors.read_text()
        errors.unlink()
        return status, text
