"""Random structured programs: compiled = evaluated = CUDA text = plain Python, to the bit."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from engines import compiled, cuda_text, evaluated
from programs import LANES, RESULTS, Program

PROGRAMS = 3  # of a launch
N = 11


def load(seed: int, folder: Path) -> ModuleType:
    """A kernel needs its text in a file."""
    path = folder / f"program_{seed}.py"
    path.write_text(Program(seed).text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(40))
def test_programs_agree_with_python(seed: int, tmp_path: Path) -> None:
    module = load(seed, tmp_path)
    expected = np.zeros((PROGRAMS, RESULTS))
    blocks = np.zeros((PROGRAMS, 2 * LANES))
    for p in range(PROGRAMS):
        *numbers, b0, b1 = module.program(p, np.arange(LANES), N)
        expected[p], blocks[p] = numbers, np.concatenate([b0, b1])
    for engine in (evaluated, compiled, cuda_text):
        out = torch.zeros(PROGRAMS, RESULTS)
        got = torch.zeros(PROGRAMS, 2 * LANES, dtype=torch.int32)
        engine(module.kernel)[(PROGRAMS,)](out, got, N)
        assert out.tolist() == expected.tolist(), engine.__name__
        assert got.tolist() == blocks.tolist(), engine.__name__
