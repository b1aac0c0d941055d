"""Random programs: a kernel computes what Python does, whichever of its conditions are known."""

import linecache
from typing import Any

import pytest
import torch
from random_programs import function_text

import mytriton
import mytriton.language as tl

KERNEL = """
def kernel(x, out, n, m, K: tl.constexpr):
    i = tl.program_id(0)
    a, b = tl.load(x + i), tl.load(x + i + 1)
    tl.store(out + i, fn(a, b, 1, n, m, K))
"""
INPUTS = [0, 1, 5, -2, 3, 8]


def made(text: str, file: str) -> dict[str, Any]:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {
        "__name__": "made.evaluated",
        "tl": tl,
        "static_range": tl.static_range,
    }
    exec(compile(text, file, "exec"), names)
    return names


@pytest.fixture(autouse=True)
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")


@pytest.mark.parametrize("seed", range(60))
def test_random_program(seed: int) -> None:
    file = f"<random {seed}>"
    text = function_text(seed, "fn")
    names = made(text + KERNEL, file)
    kernel = mytriton.jit(names["kernel"])
    x = torch.tensor(INPUTS, dtype=torch.int32)
    for n, m, k in ((3, 5, 0), (7, 2, 3), (0, 5, 1)):
        out = torch.zeros(5, dtype=torch.int32)
        kernel[5](x, out, n, m, K=k)
        expected = [names["fn"](INPUTS[i], INPUTS[i + 1], 1, n, m, k) for i in range(5)]
        assert out.tolist() == expected, text
