"""Loads the extension, which works only with the minor version of torch that it was built for."""

from __future__ import annotations

import importlib

REBUILD = "rebuild it with: pip install --no-build-isolation -e . (in mytriton's folder)"


def minor(version: str) -> str:
    """``2.13.0+cpu`` -> ``2.13``."""
    return ".".join(version.split(".")[:2])


def check(torch_version: str) -> None:
    """ImportError unless ``mytriton._C`` loads and was built for this minor version of torch."""
    try:
        built_for = importlib.import_module("mytriton._C").TORCH_BUILD_VERSION
    except ImportError as error:
        raise ImportError(
            f"mytriton's extension is missing, or does not load beside torch {torch_version} "
            f"({error}); {REBUILD}"
        ) from error
    if minor(built_for) != minor(torch_version):
        raise ImportError(
            f"mytriton was built for torch {minor(built_for)}, but torch {torch_version} is "
            f"installed; {REBUILD}"
        )
