"""Runs stages of the compiler on SSA text: ``python -m mytriton.opt FILE.mt``.

    python -m mytriton.opt kernel.mt                              verify and print
    python -m mytriton.opt kernel.mt --passes fold,cse,dce        run passes, in this order; --help
                                                                  shows those that a launch runs
    python -m mytriton.opt kernel.mt --emit cuda                  print another stage
    python -m mytriton.opt - --verify                             only verify; from standard input

Errors go to standard error as ``file:line:column: error: ...`` with the line and a caret; the exit
status is then 1. The text form is described in docs/ir.md.
"""

from __future__ import annotations

import argparse
import linecache
import sys

from mytriton import _C
from mytriton.errors import CompileError


def run(text: str, file: str, passes: list[str], emit: str | None) -> str:
    """The text of stage `emit` of the kernel in `text` after `passes`; empty for emit=None.

    CompileError where the text, the SSA or what a pass made of it is wrong; ValueError for unknown
    passes and stages, and for kernels that a stage cannot express.
    """
    lines = text.splitlines(keepends=True)
    linecache.cache[file] = (len(text), None, lines, file)  # what excerpts of errors show
    kernel = _C.parse_kernel(text, file)
    kernel.verify()
    kernel = kernel.run_passes(passes)
    return "" if emit is None else kernel.stage(emit) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mytriton.opt", description="Runs stages of the compiler on SSA text."
    )
    parser.add_argument("file", help="a .mt file, or - for standard input")
    default = ",".join(_C.pass_names())
    parser.add_argument("--passes", default="", help=f"in this order; a launch runs {default}")
    parser.add_argument("--emit", default="ssa", choices=_C.stage_names())
    parser.add_argument("--verify", action="store_true", help="print nothing")
    options = parser.parse_args(arguments)
    try:
        if options.file == "-":
            text, file = sys.stdin.read(), "<stdin>"
        else:
            with open(options.file, encoding="utf-8") as source:
                text, file = source.read(), options.file
        passes = [name for name in options.passes.split(",") if name]
        sys.stdout.write(run(text, file, passes, None if options.verify else options.emit))
    except (CompileError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
