"""Where the pip packages of NVIDIA put NVRTC; the extension looks there, and elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path

# Below the namespace package `nvidia`: CUDA 13's wheel, then CUDA 12's.
_FOLDERS = ("cu13/lib", "cuda_nvrtc/lib")


def wheel_folders() -> list[str]:
    """The folders of installed wheels that may hold libnvrtc; nothing is loaded."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    roots = list(spec.submodule_search_locations or []) if spec else []
    folders = [Path(root) / each for root in roots for each in _FOLDERS]
    return [str(folder) for folder in folders if folder.is_dir()]
