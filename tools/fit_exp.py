"""Fits the constants of exp_f32 in csrc/ir/scalar.h and prints them as C++ hex floats.

exp(x) = 2^n * exp(r) with n = round(x / ln 2) and r = x - n ln 2, so |r| <= ln(2) / 2. On that
interval exp(r) is approximated by 1 + r + r^2 (c2 + c3 r + ... + c6 r^4). The first two
coefficients are held at exactly 1, so that rounding them costs nothing.

The c's minimise the largest relative error. They come from Lawson's iteration: least squares whose
weights are multiplied by the size of the error again and again, until only the places with the
largest error count. Then they are rounded to f32 one at a time, lowest degree first, and the
remaining ones fitted again, so that each makes up for the rounding of those before it.

ln 2 is split into the nearest f32 and the f32 nearest to what is left.

Needs numpy. Run: python tools/fit_exp.py
"""

import math
from fractions import Fraction

import numpy as np

DEGREE = 6
# The rounding of x / ln 2 to f32 lets r pass ln(2) / 2 by a little.
BOUND = math.log(2) / 2 * (1 + 1e-5)
# ln 2 to 50 digits; a double would not do for the low part.
LN2 = Fraction(69314718055994530941723212145817656807550013436026, 10**50)


def relative_error(coefficients: dict[int, float], r: np.ndarray) -> np.ndarray:
    """(approximation - exp(r)) / exp(r) of the polynomial whose degree-to-value map is given."""
    return sum(c * r**k for k, c in coefficients.items()) * np.exp(-r) - 1


def minimax(fixed: dict[int, float], free: list[int]) -> dict[int, float]:
    """Coefficients of the degrees in `free` that minimise the largest relative error."""
    points = BOUND * np.cos(np.pi * (np.arange(400) + 0.5) / 400)
    target = -relative_error(fixed, points)
    # Columns of like size keep the least-squares problem well conditioned.
    columns = np.array([(points / BOUND) ** k * np.exp(-points) for k in free]).T
    weight = np.full(points.size, 1 / points.size)
    for _ in range(1000):
        root = np.sqrt(weight)
        scaled = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
        weight *= np.abs(columns @ scaled - target)
        weight /= weight.sum()
    return {k: c / BOUND**k for k, c in zip(free, scaled.tolist(), strict=True)}


def f32(value: float | Fraction) -> float:
    return float(np.float32(float(value)))


def hex_f32(value: float) -> str:
    """The shortest C++ hex float of an f32."""
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{int(exponent)}f"


def main() -> None:
    fixed = {0: 1.0, 1: 1.0}
    for degree in range(2, DEGREE + 1):
        best = minimax(fixed, list(range(degree, DEGREE + 1)))
        fixed[degree] = f32(best[degree])
    grid = np.linspace(-BOUND, BOUND, 100001)
    worst = np.abs(relative_error(fixed, grid)).max()

    ln2_high = f32(LN2)
    print(f"log2(e)    {hex_f32(f32(1 / LN2))}")
    print(f"ln 2 high  {hex_f32(ln2_high)}")
    print(f"ln 2 low   {hex_f32(f32(LN2 - Fraction(ln2_high)))}")
    for degree in range(2, DEGREE + 1):
        print(f"c{degree}         {hex_f32(fixed[degree])}")
    print(f"largest relative error before evaluation: {worst / 2**-24:.3f} * 2^-24")


if __name__ == "__main__":
    main()
