"""The golden files in tests/ir: SSA text in, a stage's text or an error out.

A file begins with its run line, the arguments of ``python -m mytriton.opt``::

    ; run: --passes fold

Below stand the input and, after a line ``; ---``, the exact output. A file that is to be refused
has no output but, at the end of the offending line, ``; error: message``; where the error is at the
end of the text, on the last line. ``pytest --update-golden`` rewrites outputs and messages.
"""

import argparse
from pathlib import Path

import pytest

import mytriton
from mytriton import _C, opt

ROOT = Path(__file__).parent / "ir"
FILES = sorted(ROOT.glob("*/*.mt"))
DIVIDER = "; ---\n"
ERROR = "; error: "


def arguments(text: str) -> argparse.Namespace:
    first = text.partition("\n")[0].partition(ERROR)[0]
    assert first.startswith("; run:"), "the first line is the run line"
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("--passes", default="")
    parser.add_argument("--emit", default="ssa")
    parser.add_argument("--verify", action="store_true")
    return parser.parse_args(first.removeprefix("; run:").split())


def expected_error(source: str) -> tuple[int, str] | None:
    """(line, message) of the file's error mark."""
    marks = [
        (number, line.partition(ERROR)[2].strip())
        for number, line in enumerate(source.splitlines(), start=1)
        if ERROR in line
    ]
    assert len(marks) <= 1, "a file shows one error"
    return marks[0] if marks else None


def run(path: Path, source: str) -> tuple[str, tuple[int, str] | None]:
    """What the compiler does with the input: its output, or the error's line and message."""
    options = arguments(source)
    passes = [name for name in options.passes.split(",") if name]
    try:
        return opt.run(source, path.name, passes, None if options.verify else options.emit), None
    except mytriton.CompileError as error:
        assert error.place is not None and error.place[0] == path.name, "errors have a place"
        return "", (min(error.place[1], len(source.splitlines())), error.message)
    except ValueError as error:
        return "", (1, str(error))  # a stage that cannot express the kernel


def rewritten(source: str, output: str, error: tuple[int, str] | None) -> str:
    lines = [line.partition(ERROR)[0].rstrip() for line in source.splitlines()]
    if error is None:
        return "\n".join(lines) + "\n" + (DIVIDER + output if output else "")
    number, message = error
    blank = "" if not lines[number - 1] else "  "
    lines[number - 1] += f"{blank}{ERROR}{message}"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_golden(path: Path, request: pytest.FixtureRequest) -> None:
    source, _, expected = path.read_text().partition(DIVIDER)
    output, error = run(path, source)
    if request.config.getoption("--update-golden"):
        path.write_text(rewritten(source, output, error))
        return
    assert error == expected_error(source)
    assert output == expected


def test_every_stage_has_golden_files() -> None:
    folders = {path.parent.name for path in FILES}
    assert {"parse", "verify", "plan", "cuda", "cpu", *_C.pass_names()} <= folders


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_printed_text_parses_to_the_same_kernel(path: Path) -> None:
    source = path.read_text().partition(DIVIDER)[0]
    if expected_error(source) is None:
        printed = opt.run(source, path.name, [], "ssa")
        assert opt.run(printed, "printed.mt", [], "ssa") == printed
