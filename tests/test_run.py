"""The reference kernels on CPU tensors: right numbers at every size, and nothing written beyond."""

import itertools

import numpy as np
import pytest
import torch
from engines import assert_same_bits, compiled, cuda_text, evaluated, every
from kernels import add_kernel, leaky_relu_kernel, relu_kernel, sigmoid_kernel, softmax_kernel

import mytriton

BLOCK = 256
PAST = 300  # elements after the n-th, more than a block
SIZES = [0, 1, 255, 256, 257, 1003]
LARGE = 1_000_003  # too many threads for the CUDA text
UNTOUCHED = -12345.0


at_every_size = pytest.mark.parametrize(
    ("engine", "n"),
    [
        *itertools.product((compiled, evaluated, cuda_text), SIZES),
        *itertools.product((compiled, evaluated), [LARGE]),
    ],
)


def grid(meta):
    return (mytriton.cdiv(meta["n"], meta["BLOCK"]),)


def inputs(n: int, seed: int) -> torch.Tensor:
    """n + PAST values: normal ones, and at the start of each block's reach the special ones."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n + PAST, generator=generator) * 3
    special = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-42, -1e-42, 3e38, -3e38]
    for start in range(0, x.numel() - len(special), 100_003):
        x[start : start + len(special)] = torch.tensor(special).roll(seed)
    return x


def launch(engine, kernel, arguments: tuple, n: int) -> torch.Tensor:
    """The n results. The rest of the output must be as it was."""
    out = torch.full((n + PAST,), UNTOUCHED)
    xs = [a for a in arguments if isinstance(a, torch.Tensor)]
    copies = [x.clone() for x in xs]
    scalars = [a for a in arguments if not isinstance(a, torch.Tensor)]
    engine(kernel)[grid](*xs, out, n, *scalars, BLOCK=BLOCK)
    assert (out[n:] == UNTOUCHED).all()
    for x, copy in zip(xs, copies, strict=True):
        assert_same_bits(x, copy)
    return out[:n]


@at_every_size
def test_add(engine, n: int) -> None:
    x, y = inputs(n, 0), inputs(n, 3)
    assert_same_bits(launch(engine, add_kernel, (x, y), n), (x + y)[:n], x, y)


@at_every_size
def test_relu(engine, n: int) -> None:
    x = inputs(n, 1)
    expected = torch.relu(x)[:n]
    expected = torch.where(expected == 0, 0.0, expected)  # ties take 0.0, so -0.0 does not stay
    assert_same_bits(launch(engine, relu_kernel, (x,), n), expected, x)


@at_every_size
def test_leaky_relu(engine, n: int) -> None:
    x = inputs(n, 2)
    expected = torch.nn.functional.leaky_relu(x, 0.01)[:n]
    assert_same_bits(launch(engine, leaky_relu_kernel, (x, 0.01), n), expected, x)


@at_every_size
def test_sigmoid(engine, n: int) -> None:
    x = inputs(n, 4)
    got = launch(engine, sigmoid_kernel, (x,), n).double().numpy()
    exact = torch.sigmoid(x[:n].double()).numpy()
    assert np.array_equal(np.isnan(got), np.isnan(exact))
    # Where exp overflows the result is 0, which is less than the smallest normal number off.
    bound = np.maximum(4 * np.spacing(exact.astype(np.float32)), np.float32(1.2e-38))
    assert (np.abs(got - exact) <= bound)[~np.isnan(exact)].all()


@every
def test_softmax_rows(engine) -> None:
    x = torch.randn(37, 300, generator=torch.Generator().manual_seed(5)) * 4
    for columns, block in ((300, 512), (1, 1), (17, 17)):
        rows = x[:, :columns].contiguous()
        out = torch.full((37 * columns + PAST,), UNTOUCHED)
        engine(softmax_kernel)[37](rows, out, columns, columns, BLOCK=block)
        assert (out[37 * columns :] == UNTOUCHED).all()
        expected = torch.softmax(rows.double(), dim=1)
        got = out[: 37 * columns].reshape(37, columns).double()
        assert ((got - expected).abs() <= 3e-6 * expected + 1e-30).all()
