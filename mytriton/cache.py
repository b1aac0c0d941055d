"""The compiled kernels that are kept on disk: ``python -m mytriton.cache [list|clear|path]``.

    python -m mytriton.cache                list them, the one not used for longest first
    python -m mytriton.cache clear          remove them, and what autotuning has measured
    python -m mytriton.cache path           print the folder

The exit status is 1, with a line on standard error, where the cache is off (MYTRITON_CACHE_DIR is
empty or 0) or its folder is not to be trusted. docs/caching.md says what is kept, and for how long.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mytriton import _C


@dataclass(frozen=True)
class Entry:
    """A compiled kernel on disk."""

    kind: str
    """``"cpu"``, ``"cuda"``, or ``"damaged"`` for a file that will be replaced when it is needed"""
    kernel: str
    """The name of the kernel that it was compiled for first; others of equal text share it."""
    target: str
    """A GPU architecture such as ``"sm_90a"``, or the processor and the C library."""
    size: int
    """In bytes, on disk"""
    used: float
    """When it was last used, or made: seconds since 1970"""
    path: Path


def folder() -> Path | None:
    """Where compiled kernels are kept; it may not be there yet. None where the cache is off."""
    found = _C.disk_cache_folder()
    return None if found is None else Path(found)


def entries() -> list[Entry]:
    """The compiled kernels on disk, the one not used for longest first; [] where the cache is off.

    RuntimeError where the folder is another user's, can be written by others or cannot be read.
    """
    where = folder()
    if where is None:
        return []
    return [
        Entry(kind, kernel, target, size, used, where / file)
        for kind, kernel, target, size, used, file in _C.disk_cache_entries()
    ]


def clear() -> int:
    """Removes all compiled kernels and all timings of autotuning from disk; how many kernels.

    What this process has loaded stays loaded. RuntimeError as in entries().
    """
    removed = _C.clear_disk_cache()
    where = folder()
    for timings in where.glob("autotune_*.json") if where else ():
        timings.unlink(missing_ok=True)
    return removed


def _table(found: list[Entry]) -> str:
    rows = [("kind", "kernel", "target", "bytes", "last used")]
    for each in found:
        used = datetime.fromtimestamp(each.used).isoformat(" ", "seconds")
        rows.append((each.kind, each.kernel, each.target, str(each.size), used))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for *words, size, used in rows:
        padded = [f"{word:{width}}" for word, width in zip(words, widths[:3], strict=True)]
        lines.append("  ".join([*padded, f"{size:>{widths[3]}}", used]))
    return "\n".join([*lines, f"{len(found)} kernels, {sum(each.size for each in found)} bytes"])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mytriton.cache", description="The compiled kernels that are kept on disk."
    )
    parser.add_argument("action", nargs="?", default="list", choices=("list", "clear", "path"))
    parser.add_argument("--clear", action="store_true", help="the same as clear")
    options = parser.parse_args(arguments)
    action = "clear" if options.clear else options.action
    if folder() is None:
        print("the cache is off: see MYTRITON_CACHE_DIR in docs/caching.md", file=sys.stderr)
        return 1
    try:
        if action == "list":
            print(_table(entries()))
        elif action == "clear":
            print(f"removed {clear()} kernels from {folder()}")
        else:
            print(folder())
    except (OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
