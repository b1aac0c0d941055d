"""Compares what a kernel computed in float32 with what it would be without rounding.

A rounding changes a number by at most UNIT of its size, so that a bound is a count of roundings
times the size of what was rounded. The counts are worst cases: `added(n)` for a sum in blocks, 2
for `exp` and `log`, which are off by less than 1 ulp, 1 for an operator.
"""

import torch

UNIT = 2.0**-24  # of float32
DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def added(n: int) -> int:
    """How many roundings a term passes through in a sum of n: 16 partial sums, then a tree."""
    return n // 16 + 5


def assert_rounded(
    got: torch.Tensor, exact: torch.Tensor, steps: float, scale: torch.Tensor | None = None
) -> None:
    """`got` is `exact` (float64, of the same shape), rounded once to got's type, after `steps`
    float32 roundings of numbers of size `scale` (default: the result's own). NaN and infinities
    stand in the same places."""
    assert exact.dtype is torch.float64 and got.shape == exact.shape, (got.shape, exact.shape)
    info = torch.finfo(got.dtype)
    values, exact = got.detach().double(), exact.detach()
    assert torch.equal(values.isnan(), exact.isnan()), "NaN in other places"
    infinite = exact.isinf()
    assert torch.equal(values[infinite], exact[infinite])
    size = exact.abs() if scale is None else scale.detach()
    bound = info.eps / 2 * exact.abs().clamp(min=info.tiny) + steps * UNIT * size
    ratio = torch.where(exact.isfinite(), (values - exact).abs() / bound, 0.0)
    if ratio.numel() and ratio.max() > 1:
        i = int(ratio.argmax())
        raise AssertionError(
            f"element {i} of {got.numel()}: {got.flatten()[i].item()!r}, not "
            f"{exact.flatten()[i].item()!r}; off by {ratio.max().item():.3g} times the bound"
        )


def numbers(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    """Normally distributed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)
