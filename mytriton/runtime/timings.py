"""What autotuning has measured, kept in files for later processes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import torch

from mytriton import _C
from mytriton.runtime.config import Config

Timings = dict[Config, Any]


def _machine() -> list[Any]:
    found: list[Any] = [platform.machine(), torch.get_num_threads()]
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        found.append(next(line for line in lines if line.startswith("model name")))
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        found.append(torch.cuda.get_device_name())
    return found


def file_of(ops: Sequence[str | None], configs: list[Config], key: tuple[Any, ...]) -> Path | None:
    """Where the timings of these ops, which are hashes of what they do, are kept on this machine.

    None, nowhere: where a config has a hook, whose work has no name, and where caches are off.
    """
    folder = _C.disk_cache_folder()
    if folder is None or any(each.pre_hook is not None for each in configs):
        return None
    versions = [metadata.version("mytriton"), torch.__version__]
    what = [versions, _machine(), list(ops), [str(each) for each in configs], repr(key)]
    digest = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]
    return Path(folder) / f"autotune_{digest}.json"


def load(file: Path, configs: list[Config]) -> Timings | None:
    """None where there are none."""
    try:
        found = json.loads(file.read_text())
        return {each: found[i] for i, each in enumerate(configs)}
    except (OSError, ValueError, LookupError):  # never written, or by half
        return None


def save(file: Path, timings: Timings) -> None:
    """Best effort: a folder that cannot be written is as good as none."""
    with contextlib.suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=file.parent, prefix="autotune_", suffix=".json", delete=False
        ) as written:
            json.dump(list(timings.values()), written)
        os.replace(written.name, file)
