"""Polynomials with f32 coefficients that minimise the largest weighted error. For tools/fit_*.py.

The fit is Lawson's iteration: least squares whose weights are multiplied by the size of the error
again and again, until only the places with the largest error count. Everything is in double: the
errors sought are 2^-24 to 2^-45 of the result, so that what double loses does not matter, provided
that the weight is small where the target is inaccurate.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]


def f32(value: float | Fraction) -> float:
    """The nearest f32."""
    return float(np.float32(float(value)))


def split(value: float | Fraction, low_bits: int = 0) -> tuple[float, float]:
    """`value` as the sum of two f32, the first with its last `low_bits` bits zero."""
    _, exponent = np.frexp(float(value))
    grid = Fraction(2) ** (int(exponent) - 24 + low_bits)
    high = round(Fraction(value) / grid) * grid
    return float(high), f32(Fraction(value) - high)


def hex_f32(value: float) -> str:
    """The shortest C++ hex float of an f32."""
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{int(exponent)}f"


def evaluate(coefficients: dict[int, float], x: np.ndarray) -> np.ndarray:
    """The polynomial whose degree-to-value map is given."""
    return sum((c * x**k for k, c in coefficients.items()), np.zeros_like(x))


def minimax(
    target: Function,
    weight: Function,
    bounds: tuple[float, float],
    degrees: Iterable[int],
    count: int = 300,
    steps: int = 400,
) -> dict[int, float]:
    """Coefficients of `degrees` that minimise the largest |weight * (polynomial - target)|.

    It is looked at in `count` points.
    """
    degrees = list(degrees)
    low, high = bounds
    points = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
    scale = max(abs(low), abs(high))
    # Columns of like size keep the least-squares problem well conditioned.
    columns = np.array([(points / scale) ** k * weight(points) for k in degrees]).T
    goal = target(points) * weight(points)
    importance = np.full(points.size, 1 / points.size)
    for _ in range(steps):
        root = np.sqrt(importance)
        scaled = np.linalg.lstsq(columns * root[:, None], goal * root, rcond=None)[0]
        importance *= np.abs(columns @ scaled - goal)
        importance /= importance.sum()
    return {k: c / scale**k for k, c in zip(degrees, scaled.tolist(), strict=True)}


def fit(
    target: Function,
    weight: Function,
    bounds: tuple[float, float],
    degrees: Iterable[int],
    held: dict[int, float] | None = None,
    count: int = 300,
    steps: int = 400,
) -> dict[int, float]:
    """As `minimax`, with f32 coefficients beside those in `held`.

    They are rounded one at a time, lowest degree first, and the remaining ones fitted again, so
    that each makes up for the rounding of those before it.
    """
    fixed = dict(held or {})
    degrees = sorted(set(degrees) - set(fixed))
    for i, degree in enumerate(degrees):
        known = dict(fixed)

        def missing(x: np.ndarray, known: dict[int, float] = known) -> np.ndarray:
            return target(x) - evaluate(known, x)

        rest = minimax(missing, weight, bounds, degrees[i:], count, steps)
        fixed[degree] = f32(rest[degree])
    return fixed


def largest_error(
    coefficients: dict[int, float], target: Function, weight: Function, bounds: tuple[float, float]
) -> float:
    """The largest |weight * (polynomial - target)|."""
    x = np.linspace(*bounds, 100001)
    return float(np.abs(weight(x) * (evaluate(coefficients, x) - target(x))).max())
