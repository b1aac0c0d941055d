"""Builds mytriton on a machine with a GPU, tests and times it there: python tools/gpu_check

Downloads nothing. Writes one JSON result file, after each stage, and a summary beside it; see
docs/gpu.md. Exit status: 0 all passed, 1 something failed, 3 not all had time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import report
from stages import Limit, Outcome, OutOfTime, Stage, StageFailed, run_process, run_stages
from suites import ROOT, Suite, environment, files_of_tables, read_lines

HERE = Path(__file__).parent
SECONDS = 470.0
# Of each stage, at most. Together more than there is: what one leaves, the next ones have.
LIMITS = {"environment": 60.0, "build": 200.0, "gpu": 170.0, "tables": 150.0, "benchmarks": 110.0}


class Check:
    """The stages, and the result that they fill."""

    def __init__(self, device: str, folder: Path, seconds: float, files: list[str]) -> None:
        self.device, self.folder, self.seconds, self.files = device, folder, seconds, files
        self.start = time.monotonic()
        now = datetime.datetime.now(datetime.UTC)
        self.result: dict[str, Any] = {
            "schema": report.SCHEMA,
            "device": device,
            "started": now.isoformat(timespec="seconds"),
            "seconds": 0.0,
            **{key: {} for key in ("machine", "versions", "counts")},
            **{key: [] for key in ("missing", "absent", "stages", "tests", "benchmarks")},
        }

    # --- stages ----------------------------------------------------------------------------------

    def environment(self, limit: Limit) -> str:
        log = self.folder / "environment.log"
        ended = run_process([sys.executable, HERE / "facts.py", self.device], limit, log)
        if ended.code is None:
            raise OutOfTime("to import torch and start the driver")
        try:
            found = json.loads(ended.output.strip().splitlines()[-1])
        except (ValueError, IndexError):
            raise StageFailed(ended.tail()) from None
        for key in ("machine", "versions", "missing", "absent"):
            self.result[key] = found[key]
        if found["missing"]:
            raise StageFailed("\n".join(["missing", *found["missing"]]))
        return found["machine"].get("gpu", "no GPU is asked for")

    def build(self, limit: Limit) -> str:
        install = ["install", "--no-index", "--no-build-isolation", "--no-deps", "-e", str(ROOT)]
        log = self.folder / "build.log"
        flags = f"{os.environ.get('CMAKE_ARGS', '')} -DMYTRITON_WERROR=OFF"  # of any compiler
        command = [sys.executable, "-m", "pip", *install]
        ended = run_process(command, limit, log, {"CMAKE_ARGS": flags})
        if ended.code is None:
            raise OutOfTime("of pip " + " ".join(install))
        if ended.code != 0:
            errors = [line for line in ended.output.splitlines() if re.search(r"\berror\b", line)]
            raise StageFailed("\n".join(["pip install failed", *errors[:8], ended.tail()]))
        return self.loaded(limit)

    def loaded(self, limit: Limit) -> str:
        log = self.folder / "built.log"
        given = {"PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
        ended = run_process([sys.executable, HERE / "facts.py", "built"], limit, log, given)
        if ended.code != 0:
            raise StageFailed(f"mytriton does not load:\n{ended.tail()}")
        found = json.loads(ended.output.strip().splitlines()[-1])
        self.result["versions"] |= found
        if self.device == "cuda" and not found["nvrtc"]:
            raise StageFailed("mytriton is built, and finds no NVRTC")
        return f"mytriton {found['mytriton']}, NVRTC {found['nvrtc']}"

    def suite(self, files: list[str], limit: Limit) -> str:
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        suite = Suite(files, self.device, folder, self.workers())
        try:
            return suite.run(limit)
        finally:
            self.result["tests"] += suite.tests

    def gpu(self, limit: Limit) -> str:
        found = sorted(ROOT.glob("tests/gpu/test_*.py"), key=lambda each: -each.stat().st_size)
        # What takes longest begins first.
        found.sort(key=lambda each: each.name not in ("test_sanitizer.py", "test_compile.py"))
        files = [str(each.relative_to(ROOT)) for each in found]
        return self.suite(self.chosen(files), limit)

    def tables(self, limit: Limit) -> str:
        return self.suite(self.chosen(files_of_tables(self.device, self.folder, limit)), limit)

    def benchmarks(self, limit: Limit) -> str:
        rows = self.folder / "benchmarks.jsonl"
        seconds = f"{max(5.0, limit.left() - 5.0):.0f}"
        command = [sys.executable, ROOT / "benchmarks" / "gpu.py", "--device", self.device]
        command += ["--rows", rows, "--seconds", seconds]
        ended = run_process(
            [str(each) for each in command],
            limit,
            self.folder / "benchmarks.log",
            {"PYTHONPATH": environment(self.device)["PYTHONPATH"]},
        )
        lines = read_lines(rows)
        self.result["benchmarks"] = [each for each in lines if "name" in each]
        left = [each["left"] for each in lines if "left" in each]
        wrong = [each["wrong"] for each in lines if "wrong" in each]
        if ended.code not in (0, None) or wrong:
            raise StageFailed("\n".join([*wrong, ended.tail()]))
        done = f"{len(self.result['benchmarks'])} rows"
        if ended.code is None or left:
            raise OutOfTime(f"{done}; not run: {', '.join(left) or 'the rest'}")
        return done

    # --- around them -----------------------------------------------------------------------------

    def chosen(self, files: list[str]) -> list[str]:
        return [each for each in files if not self.files or each in self.files]

    def workers(self) -> int:
        """A process takes a core, and some memory of the device."""
        of_cores = max(1, min(12, self.result["machine"].get("cores", 2) - 1))
        return min(of_cores, max(1, int(self.result["machine"].get("memory_gib", 64) // 3)))

    def told(self, outcome: Outcome) -> None:
        self.result["stages"].append(outcome.as_dict())
        self.result["counts"] = report.counts(self.result["tests"])
        self.result["seconds"] = round(time.monotonic() - self.start, 1)
        note = outcome.note.splitlines()
        print(f"{outcome.name}: {outcome.status}, {(note or [''])[0]}", flush=True)

    def run(self, names: list[str], out: Path) -> int:
        stages = []
        for name, seconds in LIMITS.items():
            before = [each for each in ("environment", "build") if each in names and each != name]
            if name in names:
                needs = before if name != "environment" else []
                stages.append(Stage(name, seconds, getattr(self, name), needs))

        def told(outcome: Outcome) -> None:
            self.told(outcome)
            out.with_suffix(".json").write_text(json.dumps(self.result, indent=1) + "\n")

        run_stages(stages, self.seconds, told)
        for each in report.problems(self.result):
            print(f"the result is not as described: {each}")
        text = report.summary(self.result)
        out.with_suffix(".txt").write_text(text)
        print(f"\n{text}\nwritten: {out.with_suffix('.json')} and {out.with_suffix('.txt')}")
        return report.exit_status(self.result)


def main() -> int:
    parser = argparse.ArgumentParser(prog="gpu_check", description=__doc__)
    parser.add_argument(
        "--dry-run", action="store_true", help="on the CPU, to try the check itself"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="in all (%(default)s)")
    parser.add_argument("--stages", default=",".join(LIMITS), help="some of %(default)s")
    parser.add_argument("--files", nargs="*", default=[], help="only these test files")
    parser.add_argument("--out", type=Path, help="the result file (benchmarks/results/...json)")
    options = parser.parse_args()
    names = options.stages.split(",")
    if unknown := set(names) - LIMITS.keys():
        parser.error(f"--stages: unknown {', '.join(sorted(unknown))}")
    device = "cpu" if options.dry_run else "cuda"
    folder = Path(tempfile.mkdtemp(prefix="mytriton-gpu-check-"))
    now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    results = folder if options.dry_run else ROOT / "benchmarks" / "results"
    out = (options.out or results / f"gpu-{now}.json").absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    print(f"on {device}, {options.seconds:.0f} s at most; logs in {folder}", flush=True)
    os.chdir(ROOT)
    return Check(device, folder, options.seconds, options.files).run(names, out)


if __name__ == "__main__":
    sys.exit(main())
