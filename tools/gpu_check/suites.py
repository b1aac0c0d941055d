"""Runs test files side by side, each in a process, begun again where that crashes."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stages import Finished, Limit, OutOfTime, StageFailed, run_process

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STARTS = 6  # of a file whose process crashes
TEST_SECONDS = 100  # a test that takes longer hangs
LOST = 70  # the exit status of a process whose device has an error that stays
# These take all memory of the device.
ALONE = {"test_memory.py"}

Record = dict[str, Any]  # id, outcome, seconds, message


@dataclass
class Suite:
    """`files` relative to the project's folder; `tests` fills as they run."""

    files: Sequence[str]
    device: str  # cuda or cpu
    folder: Path  # for logs
    workers: int
    tests: list[Record] = field(default_factory=list)

    def run(self, limit: Limit) -> str:
        """A note of how many passed. StageFailed, OutOfTime: with what, and how many are left."""
        waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        alone = [each for each in self.files if Path(each).name in ALONE]
        for each in self.files:
            if each not in alone:
                waiting.put(each)
        lock = threading.Lock()

        def work() -> None:
            while limit.left() > 0:
                try:
                    file = waiting.get_nowait()
                except queue.Empty:
                    return
                found = self._run_file(file, limit)
                with lock:
                    self.tests += found

        threads = [threading.Thread(target=work) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for file in alone:
            if limit.left() > 0:
                self.tests += self._run_file(file, limit)
        begun = {each["file"] for each in self.tests}
        for file in self.files:
            if file not in begun:
                self.tests.append(_record(file, "not run", "no time left", file))
        return self._note()

    def _note(self) -> str:
        counts: dict[str, int] = {}
        for each in self.tests:
            counts[each["outcome"]] = counts.get(each["outcome"], 0) + 1
        note = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        if counts.keys() & {"failed", "error", "crashed"}:
            raise StageFailed(note)
        if "not run" in counts:
            raise OutOfTime(note)
        if not counts.get("passed"):
            raise StageFailed(f"no test passed: {note or 'none was found'}")
        return note

    def _run_file(self, file: str, limit: Limit) -> list[Record]:
        base = self.folder / file.replace("/", "_")
        records: dict[str, Record] = {}
        collected: list[str] = []
        for start in range(STARTS):
            log = base.with_suffix(f".{start}.jsonl")
            done = base.with_suffix(f".{start}.done")
            done.write_text("\n".join(records))
            ended = run_process(
                self._command(file), limit, base.with_suffix(f".{start}.log"),
                self._environment(log, done),
            )  # fmt: skip
            lines = read_lines(log)
            for line in lines:
                collected += line.get("collected", ()) if start == 0 else ()
                if "outcome" in line:
                    records[line["id"]] = {**line, "file": file}
            begun = next((line["begun"] for line in reversed(lines) if "begun" in line), None)
            cut_off = begun is not None and begun not in records
            if begun and cut_off:
                outcome = "crashed" if ended.code is not None else "not run"
                message = (
                    _last_words(ended) if outcome == "crashed" else "cut off by the time limit"
                )
                records[begun] = _record(begun, outcome, message, file)
            if not lines and ended.code is not None:  # pytest itself did not start
                return [_record(file, "error", ended.tail(25), file)]
            if ended.code is None or not (cut_off or ended.code == LOST):
                break
        missing = [each for each in collected if each not in records]
        why = f"the process ended with status {ended.code}" if ended.code is not None else ""
        for each in missing:
            records[each] = _record(each, "not run", why or "no time left", file)
        if not records and ended.code is None:
            records[file] = _record(file, "not run", "no time left", file)
        return list(records.values())

    def _command(self, file: str) -> list[str]:
        options = ["-p", "outcomes", "-p", "no:cacheprovider", "-o", "addopts=", "-q", "--tb=short"]
        # Warnings of whatever else is installed must not fail tests.
        return [sys.executable, "-m", "pytest", str(ROOT / file), *options, "-W", "default"]

    def _environment(self, log: Path, done: Path) -> dict[str, str]:
        return environment(self.device) | {
            "GPU_CHECK_LOG": str(log),
            "GPU_CHECK_DONE": str(done),
            "GPU_CHECK_TEST_SECONDS": str(TEST_SECONDS),
            "GPU_CHECK_LOST": str(LOST),
        }


def environment(device: str) -> dict[str, str]:
    """Of tests: the plugin is found, no process takes all cores, and a missing GPU is a failure."""
    require = {"MYTRITON_REQUIRE_CUDA": "1"} if device == "cuda" else {}
    return {
        **require,
        "MYTRITON_TEST_DEVICE": device,
        "OMP_NUM_THREADS": "2",
        "PYTHONPATH": ":".join(filter(None, [str(HERE), str(ROOT), os.environ.get("PYTHONPATH")])),
        "PYTHONUNBUFFERED": "1",
    }


def read_lines(log: Path) -> list[dict[str, Any]]:
    """The last one may be cut off."""
    found = []
    for line in log.read_text().splitlines() if log.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def _last_words(ended: Finished) -> str:
    """Python's own, where it said any: what it crashed of, and where."""
    found = max(ended.output.rfind(each) for each in ("Fatal Python error", "Timeout ("))
    return ended.output[found : found + 1500] if found >= 0 else ended.tail(25)


def _record(id: str, outcome: str, message: str, file: str) -> Record:
    return {"id": id, "outcome": outcome, "seconds": 0.0, "message": message, "file": file}


def files_of_tables(device: str, folder: Path, limit: Limit) -> list[str]:
    """The test files outside tests/gpu of which some tests run there, those with most first."""
    log = folder / "collect.jsonl"
    command = [sys.executable, "-m", "pytest", str(ROOT / "tests"), "--collect-only", "-q"]
    command += ["-p", "outcomes", "-p", "no:cacheprovider", "--ignore", str(ROOT / "tests/gpu")]
    command += ["-o", "addopts=", "-W", "default", "--continue-on-collection-errors"]
    given = environment(device) | {"GPU_CHECK_LOG": str(log)}
    ended: Finished = run_process(command, limit, folder / "collect.log", given)
    counts: dict[str, int] = {}
    for line in read_lines(log):
        for each in line.get("collected", ()):
            file = each.partition("::")[0]
            counts[file] = counts.get(file, 0) + 1
        if line.get("outcome") == "error":  # it will say so again, in its own process
            counts.setdefault(line["id"], 0)
    if not counts:
        raise StageFailed(f"no tests were found:\n{ended.tail()}")
    return sorted(counts, key=lambda each: -counts[each])
