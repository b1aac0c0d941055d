"""Fits the constants of tanhf, sinhf and coshf in csrc/ir/math_tanh.h and prints them.

All reduce by ln 2: x = n ln 2 + r. For tanh n is rounded so that r reaches from -0.144 to 0.5494,
and tanh(r) = r + r^3 P(r^2). For sinh and cosh n is the nearest, |r| <= ln(2) / 2, and
sinh(r) = r + r^3 P(r^2), cosh(r) = 1 + r^2 Q(r^2).

Needs numpy. Run: python tools/fit_tanh.py
"""

import math
from fractions import Fraction

import numpy as np
from remez import Function, f32, fit, hex_f32, largest_error, split

# ln 2 to 50 digits.
LN2 = Fraction(69314718055994530941723212145817656807550013436026, 10**50)
# tanh is 1 to f32 from here on: 1 - tanh(x) is about 2 exp(-2 x), and half an ulp is 2^-25.
TANH_ONE = 0.5 * math.log(2 * 2**25)
# tanh is 1/2 near here.
TANH_REACH = 0.5494


def odd_tail(function: Function) -> Function:
    """(function(r) - r) / r^3, of r^2."""
    return lambda z: (function(np.sqrt(z)) - np.sqrt(z)) / np.sqrt(z) ** 3


def show(
    name: str, target: Function, weight: Function, bounds: tuple[float, float], terms: int
) -> None:
    coefficients = fit(target, weight, bounds, range(terms))
    error = largest_error(coefficients, target, weight, bounds)
    print(f"{name}: largest relative error before evaluation 2^{math.log2(error):.1f}")
    for degree, value in sorted(coefficients.items()):
        print(f"    c{degree}  {hex_f32(value)}")


def main() -> None:
    high, low = split(LN2)
    print(f"ln 2 = {hex_f32(high)} + {hex_f32(low)}; inverse {hex_f32(f32(1 / LN2))}")
    print(f"tanh is 1 from {TANH_ONE:.7f} on")

    # The argument of the polynomials is z = r^2; near zero their targets lose digits in double.
    bound = TANH_REACH**2
    show(
        "tanh",
        odd_tail(np.tanh),
        lambda z: np.sqrt(z) ** 3 / np.tanh(np.sqrt(z)),
        (bound / 1000, bound),
        5,
    )
    bound = (math.log(2) / 2 * (1 + 1e-5)) ** 2
    show(
        "sinh",
        odd_tail(np.sinh),
        lambda z: np.sqrt(z) ** 3 / np.sinh(np.sqrt(z)),
        (bound / 1000, bound),
        3,
    )
    # cosh(r) - 1 is 2 sinh(r / 2)^2.
    show(
        "cosh",
        lambda z: 2 * np.sinh(np.sqrt(z) / 2) ** 2 / z,
        lambda z: z,
        (bound / 1000, bound),
        3,
    )


if __name__ == "__main__":
    main()
