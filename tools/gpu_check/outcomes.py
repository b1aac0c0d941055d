"""A pytest plugin (-p outcomes) that writes each test's outcome to a file at once, a line of JSON.

What has run is then known of a process that was killed or that crashed. Environment:
GPU_CHECK_LOG, the file; GPU_CHECK_DONE, a file of test ids, one a line, that are left out;
GPU_CHECK_TEST_SECONDS, after which a test ends its process; GPU_CHECK_LOST, the exit status below.

Lines: {"collected": [ids]}, {"begun": id}, {"id", "outcome", "seconds", "message"}, and {"lost":
reason} where the GPU can no longer be used by this process, which then ends so.
"""

import faulthandler
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

MESSAGE = 1500  # characters, of the end


# Plugins are imported before pytest captures what goes there.
_stderr = os.fdopen(os.dup(2), "w")


def write(**line: Any) -> None:
    with open(os.environ["GPU_CHECK_LOG"], "a") as file:
        file.write(json.dumps(line) + "\n")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    done = os.environ.get("GPU_CHECK_DONE")
    left_out = set(Path(done).read_text().splitlines()) if done else set()
    items[:] = [each for each in items if each.nodeid not in left_out]


def pytest_collection_finish(session: pytest.Session) -> None:
    write(collected=[each.nodeid for each in session.items])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        message = str(report.longrepr)[-MESSAGE:]
        # A tool of tests that are not for GPUs.
        outcome = "skipped" if "No module named 'hypothesis'" in message else "error"
        write(id=report.nodeid, outcome=outcome, seconds=0, message=message)
    elif report.skipped and report.nodeid:
        write(id=report.nodeid, outcome="skipped", seconds=0, message=_reason(report))


class _Parts:
    """Reports of the set-up, the call and the end of the test that runs."""

    seconds = 0.0
    outcome = "passed"
    message = ""


_now = _Parts()


def pytest_runtest_logstart(nodeid: str) -> None:
    global _now
    _now = _Parts()
    write(begun=nodeid)
    seconds = float(os.environ.get("GPU_CHECK_TEST_SECONDS", "0"))
    if seconds:
        faulthandler.dump_traceback_later(seconds, exit=True, file=_stderr)


def _reason(report: Any) -> str:
    found = report.longrepr
    return str(found[2] if isinstance(found, tuple) else found)[-MESSAGE:]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _now.seconds += report.duration
    if report.failed:
        _now.outcome = "failed" if report.when == "call" else "error"
        _now.message += str(report.longrepr)[-MESSAGE:]
    elif report.skipped and _now.outcome == "passed":
        _now.outcome = "xfailed" if hasattr(report, "wasxfail") else "skipped"
        _now.message = _reason(report)


def _why_lost() -> str:
    """An error of the device stays: all that follows in this process would fail for it."""
    torch = sys.modules.get("torch")
    if torch is None or not (torch.cuda.is_available() and torch.cuda.is_initialized()):
        return ""
    try:
        torch.cuda.synchronize()
    except RuntimeError as error:
        return str(error)[:MESSAGE]
    return ""


def pytest_runtest_logfinish(nodeid: str) -> None:
    faulthandler.cancel_dump_traceback_later()
    lost = _why_lost()
    if lost and _now.outcome == "passed":
        _now.outcome, _now.message = "failed", f"the device was left with an error: {lost}"
    write(id=nodeid, outcome=_now.outcome, seconds=round(_now.seconds, 3), message=_now.message)
    if lost:
        write(lost=lost)
        sys.stdout.flush()
        os._exit(int(os.environ["GPU_CHECK_LOST"]))
