"""The matrix product kernel against torch in float64, with every config."""

import product_kernels as products
import pytest
import torch
from bounds import added, assert_rounded, numbers

from mytriton import cdiv

F = torch.nn.functional


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    c = torch.full((len(a), b.shape[1]), -9.0).to(a.dtype)
    products.matmul_kernel[
        lambda meta: (cdiv(a.shape[0], meta["BM"]) * cdiv(b.shape[1], meta["BN"]),)
    ](
        a, b, c, a.shape[0], b.shape[1], a.shape[1], *a.stride(), *b.stride(), *c.stride(),
        ACTIVATION=activation,
    )  # fmt: skip
    return c


SIZES = [(1, 1, 1), (17, 3, 33), (100, 50, 70), (130, 17, 129)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("activation", ["", "leaky_relu"])
def test_matmul(sizes: tuple[int, int, int], dtype: torch.dtype, activation: str) -> None:
    m, k, n = sizes
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
    got = matmul(a, b, activation)
    exact, sizes64 = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    expected = F.leaky_relu(exact, 0.01) if activation else exact
    assert_rounded(got, expected, 1 + added(32) + k / 16 + 2, sizes64)
    assert products.matmul_kernel.best_config in products.matmul_kernel.configs


def test_every_config_of_matmul() -> None:
    """Whichever was the fastest: of whole numbers, so that both give the same."""
    a = torch.randint(-5, 5, (70, 50)).float()
    b = torch.randint(-5, 5, (70, 50)).float().T
    for config in products.matmul_kernel.configs:
        c = torch.zeros(70, 70)
        grid = cdiv(70, config.kwargs["BM"]) * cdiv(70, config.kwargs["BN"])
        products.matmul_kernel.fn[grid,](
            a, b, c, 70, 70, 50, *a.stride(), *b.stride(), *c.stride(),
            ACTIVATION="", **config.kwargs,
        )  # fmt: skip
        assert torch.equal(c, a @ b)
