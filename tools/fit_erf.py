"""Fits the constants of erff and erfcf in csrc/ir/math_erf.h and prints them.

erf(x) = x + x A(x^2) up to 1, and 1 - B(x)^4 beyond, where B(x) is the fourth root of erfc(x): that
takes a lower degree than erfc(x) itself.

erfc(x) = 1 - x - x C(x^2) up to 0.47. Beyond, it is exp(-x^2) q S(q - 127/512), where
q = 1 / (x + 2). S is smooth and changes by a factor of two only, half of it on either side of zero.
S(0) is nearly an f32: that is why 127/512.

Needs numpy. Run: python tools/fit_erf.py
"""

import math
from collections.abc import Iterable

import numpy as np
from remez import Function, fit, hex_f32, largest_error

MIDDLE = 127 / 512
erf = np.vectorize(math.erf)
erfc = np.vectorize(math.erfc)


def scaled_erfc(t: np.ndarray) -> np.ndarray:
    """exp(x^2) erfc(x) / q where q = 1 / (x + 2) = t + MIDDLE."""
    q = t + MIDDLE
    x = 1 / q - 2
    scaled: np.ndarray = np.exp(x * x) * erfc(x) / q
    return scaled


def exp_tail(r: np.ndarray) -> np.ndarray:
    """(exp(r) - 1 - r) / r^2, by its series near zero."""
    near = np.abs(r) < 1e-3
    safe = np.where(near, 1.0, r)
    return np.where(near, 1 / 2 + r / 6 + r**2 / 24, (np.expm1(safe) - safe) / safe**2)


def show(
    name: str,
    target: Function,
    weight: Function,
    bounds: tuple[float, float],
    degrees: Iterable[int],
) -> None:
    coefficients = fit(target, weight, bounds, degrees)
    error = largest_error(coefficients, target, weight, bounds)
    print(f"{name}: largest error before evaluation 2^{math.log2(error):.1f}")
    for degree, value in sorted(coefficients.items()):
        print(f"    c{degree}  {hex_f32(value)}")


def main() -> None:
    # As polynomials of x^2. Both errors are in parts of erf.
    show(
        "A",
        lambda x: erf(np.sqrt(x)) / np.sqrt(x) - 1,
        lambda x: np.sqrt(x) / erf(np.sqrt(x)),
        (1e-6, 1.0),
        range(7),
    )
    show(
        "B",
        lambda x: erfc(x) ** 0.25,
        lambda x: 4 * erfc(x) ** 0.75 / erf(x),
        (1.0, 3.93),
        range(10),
    )
    # The error of C is in parts of erfc.
    show(
        "C",
        lambda x: erf(np.sqrt(x)) / np.sqrt(x) - 1,
        lambda x: np.sqrt(x) / erfc(np.sqrt(x)),
        (1e-6, 0.475**2),
        range(5),
    )
    # exp(r) = 1 + r + r^2 E(r)
    bound = math.log(2) / 2 * (1 + 1e-5)
    show(
        "E",
        exp_tail,
        lambda r: r**2 * np.exp(-r),
        (-bound, bound),
        range(5),
    )
    show(
        "S",
        scaled_erfc,
        lambda t: 1 / scaled_erfc(t),
        (1 / 12.1 - MIDDLE, 1 / 2.465 - MIDDLE),
        range(10),
    )


if __name__ == "__main__":
    main()
