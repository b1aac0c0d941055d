"""Fits the constants of csrc/ir/math_exp.h and prints them as C++ hex floats.

exp(x) = 2^n * exp(r) with n = round(x / ln 2) and r = x - n ln 2, so |r| <= ln(2) / 2. On that
interval exp(r) is approximated by 1 + r + r^2 (c2 + c3 r + ... + c6 r^4). The first two
coefficients are held at exactly 1, so that rounding them costs nothing. For expm1 another such
polynomial is fitted, because there the error must be small beside exp(r) - 1.

2^x = 2^n * 2^r with |r| <= 1/2, and only the first coefficient held. In powf r passes 1/2 by up to
2^-5, but a fit for that costs more where r is smaller than it gains.

ln 2 is split into the nearest f32 and the f32 nearest to what is left.

Needs numpy. Run: python tools/fit_exp.py
"""

import math
from fractions import Fraction

import numpy as np
from remez import Function, fit, hex_f32, largest_error, split

# The rounding of x / ln 2 to f32 lets r pass ln(2) / 2 by a little.
BOUND = math.log(2) / 2 * (1 + 1e-5)
# ln 2 to 50 digits; a double would not do for the low part.
LN2 = Fraction(69314718055994530941723212145817656807550013436026, 10**50)


def expm1_tail(r: np.ndarray) -> np.ndarray:
    """(exp(r) - 1 - r) / r^2"""
    return sum(r**k / math.factorial(k + 2) for k in range(16))


def show(
    name: str,
    target: Function,
    weight: Function,
    bound: float,
    degree: int,
    held: dict[int, float] | None = None,
) -> None:
    bounds = (-bound, bound)
    best = fit(target, weight, bounds, range(degree + 1), held, count=400, steps=1000)
    print(name)
    for k, c in best.items():
        print(f"  c{k}  {hex_f32(c)}")
    error = largest_error(best, target, weight, bounds)
    print(f"  largest relative error before evaluation: {error / 2**-24:.3f} * 2^-24")


def main() -> None:
    high, low = split(LN2)
    print(f"log2(e)    {hex_f32(split(1 / LN2)[0])}")
    print(f"ln 2 high  {hex_f32(high)}")
    print(f"ln 2 low   {hex_f32(low)}")
    show("exp", np.exp, lambda r: np.exp(-r), BOUND, 6, {0: 1.0, 1: 1.0})
    show("expm1, from r^2", expm1_tail, lambda r: r / (1 + r * expm1_tail(r)), BOUND, 4)
    show("exp2", np.exp2, lambda r: np.exp2(-r), 0.5, 6, {0: 1.0})


if __name__ == "__main__":
    main()
