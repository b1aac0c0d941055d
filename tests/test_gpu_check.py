"""tools/gpu_check: its limits hold, crashes lose nothing, and the result file is as described."""

import ast
import copy
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
TOOL = ROOT / "tools" / "gpu_check"
sys.path.append(str(TOOL))

import report  # noqa: E402
from stages import (  # noqa: E402
    FAILED,
    PASSED,
    SKIPPED,
    TIMED_OUT,
    Limit,
    OutOfTime,
    Stage,
    StageFailed,
    run_process,
    run_stages,
)
from suites import Suite  # noqa: E402

# --- limits --------------------------------------------------------------------------------------

SLOW = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); {rest}"


def slow_stage(folder: Path) -> Stage:
    """Starts a process that is deaf to SIGTERM, which starts another one."""
    marks = folder / "alive"
    child = f"""
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    open({str(marks)!r}, "a").write("x"); time.sleep(0.05)
"""

    def run(limit: Limit) -> str:
        text = SLOW.format(child=child, rest="print('begun', flush=True); time.sleep(60)")
        ended = run_process([sys.executable, "-c", text], limit, folder / "log")
        assert ended.code is None
        raise OutOfTime(ended.output.strip())

    return Stage("slow", 1.5, run)


def test_a_slow_stage_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    start = time.monotonic()
    stages = [slow_stage(tmp_path), Stage("next", 1.0, lambda limit: "ran")]
    slow, after = run_stages(stages, 60.0)
    assert (slow.status, slow.note) == (TIMED_OUT, "begun") and slow.limit == 1.5
    assert (after.status, after.note) == (PASSED, "ran")
    assert time.monotonic() - start < 30
    marks = tmp_path / "alive"
    size = marks.stat().st_size
    time.sleep(0.5)
    assert marks.stat().st_size == size


def test_what_has_no_time_or_lacks_another_stage_is_skipped() -> None:
    def fail(limit: Limit) -> str:
        raise StageFailed("a reason")

    def broken(limit: Limit) -> str:
        raise KeyError("ours")

    def wait(limit: Limit) -> str:
        time.sleep(limit.left())
        return "all of it"

    heard: list[str] = []
    stages = [
        Stage("fails", 1.0, fail),
        Stage("needs it", 1.0, lambda limit: "", ["fails"]),
        Stage("broken", 1.0, broken),
        Stage("last", 9.0, wait),
        Stage("late", 9.0, lambda limit: ""),
    ]
    found = run_stages(stages, 5.2, lambda each: heard.append(each.name))
    assert [each.status for each in found] == [FAILED, SKIPPED, FAILED, PASSED, SKIPPED]
    assert found[1].note == "needs fails" and "KeyError" in found[2].note
    assert found[3].limit <= 5.2 and found[4].note == "no time left of 5 s"
    assert heard == [each.name for each in found]


# --- test files that end badly -------------------------------------------------------------------

CRASHING = """
import os, time
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2, "numbers"
def test_crashes(): os.abort()
def test_after(): pass
@pytest.mark.skip(reason="a reason")
def test_skipped(): pass
@pytest.fixture
def broken(): raise RuntimeError("set-up")
def test_error(broken): pass
def test_hangs(): time.sleep(600)
def test_last(): pass
"""


def suite_of(text: str, folder: Path) -> Suite:
    (folder / "test_sample.py").write_text(text)
    return Suite([str(folder / "test_sample.py")], "cpu", folder, workers=2)


def test_a_crash_loses_one_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suites.TEST_SECONDS", 3)
    suite = suite_of(CRASHING, tmp_path)
    with pytest.raises(StageFailed, match="2 crashed, 1 error, 1 failed, 3 passed, 1 skipped"):
        suite.run(Limit(120))
    found = {each["id"].partition("::")[2]: each for each in suite.tests}
    assert {name: each["outcome"] for name, each in found.items()} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_crashes": "crashed",
        "test_after": "passed",
        "test_skipped": "skipped",
        "test_error": "error",
        "test_hangs": "crashed",
        "test_last": "passed",
    }
    assert "numbers" in found["test_fails"]["message"]
    assert "Abort" in found["test_crashes"]["message"]
    assert "Timeout" in found["test_hangs"]["message"]
    assert "a reason" in found["test_skipped"]["message"]


def test_what_the_limit_cuts_off_was_not_run(tmp_path: Path) -> None:
    text = "import time\ndef test_a(): pass\ndef test_b(): time.sleep(60)\ndef test_c(): pass\n"
    suite = suite_of(text, tmp_path)
    with pytest.raises(OutOfTime, match="not run"):
        suite.run(Limit(12))
    found = {each["id"].partition("::")[2]: each["outcome"] for each in suite.tests}
    assert set(found.values()) <= {"passed", "not run"}
    assert found.get("test_c") == "not run" or "passed" not in found.values()


def test_a_file_that_cannot_be_imported_is_an_error(tmp_path: Path) -> None:
    suite = suite_of("import there_is_no_such_module\n", tmp_path)
    with pytest.raises(StageFailed, match="1 error"):
        suite.run(Limit(60))
    assert "there_is_no_such_module" in suite.tests[0]["message"]


# --- the result ----------------------------------------------------------------------------------

RESULT: dict[str, Any] = {
    "schema": report.SCHEMA,
    "device": "cuda",
    "started": "2026-01-01T00:00:00+00:00",
    "seconds": 1.5,
    "machine": {"gpu": "A GPU"},
    "versions": {"python": "3.12.1", "torch": "2.11.0"},
    "missing": [],
    "absent": ["triton: a reason"],
    "stages": [
        {"name": "gpu", "status": "passed", "note": "2 passed", "seconds": 1.0, "limit": 9.0},
    ],
    "counts": {"passed": 1, "skipped": 1},
    "tests": [
        {"id": "f::a", "outcome": "passed", "seconds": 1, "message": "", "file": "f"},
        {"id": "f::b", "outcome": "skipped", "seconds": 0.1, "message": "one GPU", "file": "f"},
    ],
    "benchmarks": [
        {
            "kind": "bandwidth",
            "name": "add",
            "dtype": "float32",
            "elements": 1024,
            "columns": 0,
            "bytes": 12288,
            "rounds": 15,
            "median_us": {"ours": 2.0, "eager": 3.0},
            "ratios": {"eager": 1.5},
            "gb_per_second": 6.1,
        }
    ],
}


def changed(path: str, value: Any) -> dict[str, Any]:
    result = copy.deepcopy(RESULT)
    *folders, last = path.split(".")
    at: Any = result
    for each in folders:
        at = at[int(each) if each.isdigit() else each]
    at[last] = value
    return result


def test_a_result_as_described_has_no_problems() -> None:
    assert report.problems(RESULT) == []
    assert report.exit_status(RESULT) == 0
    text = report.summary(RESULT)
    assert "mytriton on A GPU" in text and "add float32 1024" in text and "1.50" in text
    assert "1 tests skipped: one GPU" in text and "all passed" in text


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("device", 3, "result.device: expected str, got 3"),
        ("extra", 3, "result: unknown extra"),
        ("stages.0.status", "fine", "stage gpu: unknown status 'fine'"),
        ("tests.0.outcome", "fine", "test f::a: unknown outcome 'fine'"),
        ("tests.1.seconds", "1", r"result.tests[1].seconds: expected float, got '1'"),
        ("counts", {"passed": 2}, "result.counts: they are not those of the tests"),
        ("benchmarks.0.ratios", {"eager": 0.0}, "benchmark add: times must be above 0"),
        ("benchmarks.0.median_us", {}, "benchmark add: ours belongs into median_us alone"),
        ("schema", 2, "result.schema: expected 1, got 2"),
        ("missing", "none", "result.missing: expected a list, got str"),
    ],
)
def test_problems_are_named(path: str, value: Any, problem: str) -> None:
    assert problem in report.problems(changed(path, value))


def test_exit_status() -> None:
    assert report.exit_status(changed("stages.0.status", "failed")) == 1
    assert report.exit_status(changed("counts", {"crashed": 1})) == 1
    assert report.exit_status(changed("stages.0.status", "timed out")) == 3
    assert "not all was run" in report.summary(changed("stages.0.status", "skipped"))


# --- all of it, on the CPU -----------------------------------------------------------------------


def test_python_text_is_that_of_3_11() -> None:
    for folder in ("tools/gpu_check", "tests/gpu"):
        for path in (ROOT / folder).glob("*.py"):
            ast.parse(path.read_text(), feature_version=(3, 11))


def check(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, str(TOOL), "--seconds", "200", *options]
    given = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    given["TMPDIR"] = str(folder)
    return subprocess.run(run, capture_output=True, text=True, env=given)


def test_a_dry_run(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    options = ["--dry-run", "--out", str(out), "--stages", "environment,gpu"]
    done = check(
        tmp_path, *options, "--files", "tests/gpu/test_graphs.py", "tests/gpu/test_memory.py"
    )
    result = json.loads(out.read_text())
    assert report.problems(result) == []
    assert [each["status"] for each in result["stages"]] == ["passed", "passed"], done.stdout
    assert done.returncode == 0
    assert result["device"] == "cpu" and result["versions"]["torch"]
    assert {each["file"] for each in result["tests"]} == set(options_files(done))
    assert all(each["outcome"] == "passed" for each in result["tests"])
    assert done.stdout.startswith("on cpu") and out.with_suffix(".txt").read_text() in done.stdout


def options_files(done: subprocess.CompletedProcess[str]) -> list[str]:
    return done.args[done.args.index("--files") + 1 :]


def test_without_a_gpu_it_fails_and_says_why(tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    options = ["--out", str(tmp_path / "found.json"), "--stages", "environment,gpu"]
    done = check(tmp_path, *options)
    assert done.returncode == 1
    result = json.loads((tmp_path / "found.json").read_text())
    assert [each["status"] for each in result["stages"]] == ["failed", "skipped"]
    assert any("a GPU that torch" in each for each in result["missing"])
    assert "missing: a GPU" in done.stdout


def test_a_missing_gpu_fails_its_tests_where_it_is_required() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    file = str(ROOT / "tests" / "gpu" / "test_graphs.py")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
    given = {**os.environ, "MYTRITON_REQUIRE_CUDA": "1", "MYTRITON_TEST_DEVICE": ""}
    done = subprocess.run(run, capture_output=True, text=True, env=given)
    assert done.returncode == 1
    assert "MYTRITON_REQUIRE_CUDA=1, but torch sees no GPU" in done.stdout


def test_benchmarks_write_rows_as_described(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    run = [sys.executable, str(ROOT / "benchmarks" / "gpu.py"), "--device", "cpu"]
    run += ["--rows", str(rows), "--seconds", "7"]
    given = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(run, capture_output=True, text=True, env=given)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(each) for each in rows.read_text().splitlines()]
    found = [each for each in lines if "name" in each]
    assert found and report.problems({**RESULT, "benchmarks": found}) == []
    assert len(lines) == 14  # the others are named as left out
