"""Fits the constants of csrc/ir/math_trig.h and math_atan.h and prints them as C++ hex floats.

With z = x^2, each function is its first terms plus a polynomial in z, whose error is weighted so
that it counts relative to the function:

sin x  = x + x z S(z)            to pi / 4
cos x  = 1 - z / 2 + z^2 C(z)    to pi / 4
tan x  = x + x z T(z)            to pi / 4
asin x = x + x z A(z)            to 1 / 2
atan x = x + x z B(z)            to 1

The reduction rounds 2 x / pi a little wrong, so that x passes pi / 4 by up to 1.5 %.

pi / 2 is split into f32, and 2 / pi into the 32-bit words from which reductions of large arguments
cut what they need. The first word starts with the bit of weight 2^6.

Needs numpy. Run: python tools/fit_trig.py
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from remez import f32, fit, hex_f32, largest_error, split

Function = Callable[[np.ndarray], np.ndarray]

# To 100 digits: the words of 2 / pi reach to 2^-217.
PI = Fraction(
    31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679,
    10**100,
)
QUARTER = float(PI / 4) * 1.015


def odd(f: Function) -> tuple[Function, Function]:
    """Target and weight of P in f(x) = x + x z P(z), as functions of z."""
    return (
        lambda z: (f(np.sqrt(z)) / np.sqrt(z) - 1) / z,
        lambda z: z * np.sqrt(z) / f(np.sqrt(z)),
    )


def show(name: str, target: Function, weight: Function, bound: float, degree: int) -> None:
    # Not from 0, where the target divides 0 by 0.
    bounds = (1e-9, bound * bound)
    found = fit(target, weight, bounds, range(degree + 1))
    error = largest_error(found, target, weight, bounds) / 2**-24
    print(f"{name}: largest relative error {error:.4f} * 2^-24")
    for k in range(degree, -1, -1):
        print(f"  z^{k}  {hex_f32(found[k])}")


def parts(name: str, value: Fraction, count: int) -> None:
    print(f"{name}:")
    for _ in range(count):
        part, _ = split(value)
        print(f"  {hex_f32(part)}")
        value -= Fraction(part)


def main() -> None:
    show("sin", *odd(np.sin), QUARTER, 2)
    show(
        "cos",
        lambda z: (np.cos(np.sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / np.cos(np.sqrt(z)),
        QUARTER,
        2,
    )
    show("tan", *odd(np.tan), QUARTER, 6)
    show("asin", *odd(np.arcsin), 0.5, 4)
    show("atan", *odd(np.arctan), 1.0, 8)

    print(f"2 / pi: {hex_f32(f32(2 / PI))}")
    parts("pi / 2", PI / 2, 3)
    print("2 / pi, words:")
    for k in range(7):
        print(f"  {int(2 / PI * 2 ** (32 * (k + 1) - 7)) % 2**32:#010x}")


if __name__ == "__main__":
    main()
