"""Random programs of shape ops give what NumPy gives, compiled and on the evaluator."""

import random

import numpy as np
import pytest
import torch
from engines import both, cuda_text
from exact import BITS, FLOATS, TORCH, TYPES
from shape_kernels import InKernel, offsets, row_major
from shape_programs import MOST_LANES, Generator, OnNumpy

import mytriton
import mytriton.language as tl

INPUTS = 2 * MOST_LANES


@mytriton.jit
def program_kernel(x, spare, out, n, STEPS: tl.constexpr):
    values = InKernel(x, spare, n).run(STEPS, [])
    for i, value in enumerate(values):
        shape = value.shape or (1,)
        lanes = offsets(shape, row_major(shape))
        tl.store(out + i * MOST_LANES + lanes, value)


def kind_of(name: str) -> str:
    return "bool" if name == "bool" else "float" if name in FLOATS else "int"


def expected(steps, x: np.ndarray, n: int) -> list[np.ndarray]:
    loads = [argument for name, _, argument in steps if name == "load"]
    given = [x[7 * i :][: np.prod(shape)].reshape(shape) for i, shape in enumerate(loads)]
    return OnNumpy(n).run(steps[len(loads) :], given)


def numbers(name: str, order: random.Random) -> np.ndarray:
    """Of the type, but for floats, which are f64 for NumPy."""
    if name in FLOATS:
        return np.array([float(order.randrange(-100, 100)) for _ in range(INPUTS)])
    if name == "bool":
        return np.array([order.random() < 0.5 for _ in range(INPUTS)])
    dtype = str(TORCH[name]).removeprefix("torch.")
    bits = np.array([order.getrandbits(BITS[name]) for _ in range(INPUTS)], dtype=np.uint64)
    return bits.astype(dtype)


@both
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("seed", range(2))
def test_program(engine, name: str, seed: int) -> None:
    check(engine, name, seed, 14)


@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize("name", TYPES)
def test_cuda_text_of_program(name: str, num_warps: int) -> None:
    check(cuda_text, name, 1 + num_warps, 14, num_warps=num_warps)


def check(engine, name: str, seed: int, count: int, **options: int) -> None:
    steps = Generator(hash((seed, TYPES.index(name))), kind_of(name)).program(count)
    given = numbers(name, random.Random(seed))
    x = torch.from_numpy(given).to(TORCH[name])
    for n in (0, 3):
        spare = torch.zeros(MOST_LANES, dtype=TORCH[name])
        out = torch.zeros(len(steps), MOST_LANES, dtype=TORCH[name])
        engine(program_kernel)[1](x, spare, out, n, STEPS=steps, **options)
        for i, value in enumerate(expected(steps, given, n)):
            flat = torch.from_numpy(np.array(value).ravel()).to(TORCH[name])
            got = out[i, : flat.numel()]
            wrong = (got != flat).nonzero()
            assert not wrong.numel(), (
                f"seed {seed}, n {n}: value {i} of {steps}: lane {wrong[0].item()}"
            )
