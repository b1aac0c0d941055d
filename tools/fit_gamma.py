"""Fits the constants of lgammaf in csrc/ir/math_gamma.h and prints them.

Near zero 1 / gamma(1 + e) is its Taylor series, which converges everywhere. Its derivative is
itself times gamma + zeta(2) (-e) + zeta(3) (-e)^2 + ..., with Euler's gamma; that gives the
coefficients one by one. The first are needed to more than f32 and printed as sums of two; the rest
is replaced by a shorter polynomial.

log(1 + f) = f - f^2 / 2 + f^3 L(f), and sin(pi e) = e (pi + e^2 S(e^2)).

Needs numpy. Run: python tools/fit_gamma.py
"""

import math
from fractions import Fraction

import numpy as np
from remez import Function, f32, fit, hex_f32, largest_error, split

# To 50 digits.
EULER = Fraction(57721566490153286060651209008240243104215933593992, 10**50)
LN2 = Fraction(69314718055994530941723212145817656807550013436026, 10**50)
LN_PI = Fraction(114472988584940017414342735135305871164729481291531, 10**50)
# How many coefficients after the leading 1 are sums of two.
DOUBLED = 8
TERMS = 26


def zeta(s: int, terms: int = 50) -> Fraction:
    """Riemann's zeta to about 38 digits, by Borwein's alternating sum."""
    partial = [Fraction(0)]
    for i in range(terms + 1):
        numerator = terms * math.factorial(terms + i - 1) * 4**i
        denominator = math.factorial(terms - i) * math.factorial(2 * i)
        partial.append(partial[-1] + Fraction(numerator, denominator))
    d = partial[1:]
    total = sum(Fraction((-1) ** k) * (d[k] - d[terms]) / (k + 1) ** s for k in range(terms))
    return Fraction(-total / (d[terms] * (1 - Fraction(2, 2**s))))


def inverse_gamma() -> list[Fraction]:
    """The Taylor coefficients of 1 / gamma(1 + e)."""
    factor = [EULER] + [(-1) ** k * zeta(k + 1) for k in range(1, TERMS)]
    series = [Fraction(1)]
    for n in range(1, TERMS):
        total = sum(factor[k] * series[n - 1 - k] for k in range(n))
        # The exact fractions would grow without bound.
        series.append(Fraction(round(total / n * 2**150), 2**150))
    return series


def show(
    name: str, target: Function, weight: Function, bounds: tuple[float, float], terms: int
) -> None:
    coefficients = fit(target, weight, bounds, range(terms))
    error = largest_error(coefficients, target, weight, bounds)
    print(f"{name}: largest error before evaluation 2^{math.log2(error):.1f}")
    for degree, value in sorted(coefficients.items()):
        print(f"    c{degree}  {hex_f32(value)}")


def log_tail(f: np.ndarray) -> np.ndarray:
    """(log(1 + f) - f + f^2 / 2) / f^3, by its series near zero."""
    near = np.abs(f) < 0.02
    safe = np.where(near, 1.0, f)
    series = sum((-f) ** k / (k + 3) for k in range(8))
    tail: np.ndarray = np.where(near, series, (np.log1p(safe) - safe + safe**2 / 2) / safe**3)
    return tail


def sine_tail(z: np.ndarray) -> np.ndarray:
    """(sin(pi e) / e - pi) / e^2, of e^2, by its series."""
    terms = range(1, 14)
    scaled = [(-1) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in terms]
    tail: np.ndarray = np.polynomial.polynomial.polyval(z, scaled)
    return tail


def main() -> None:
    series = inverse_gamma()
    print("1 / gamma(1 + e):")
    for k in range(1, DOUBLED + 1):
        # c3 is smaller than what is added to it. Some zero bits keep its sum's error exact.
        high, low = split(series[k], 4 if k == 3 else 0)
        print(f"    c{k}  {hex_f32(high)} + {hex_f32(low)}")
    rest = [float(c) for c in series[DOUBLED + 1 :]]
    show(
        "the rest",
        lambda e: np.polynomial.polynomial.polyval(e, rest),
        lambda e: np.abs(e) ** (DOUBLED + 1),
        (-0.5, 0.5),
        6,
    )
    low, high = math.sqrt(0.5) - 1, math.sqrt(2) - 1
    show("L", log_tail, lambda f: np.abs(f) ** 2, (low - 1e-6, high + 1e-6), 8)
    show("S", sine_tail, lambda z: z / 2, (0.0, 0.25), 5)
    for name, value, bits in (
        ("ln 2", LN2, 8),
        ("ln(2 pi) / 2", (LN2 + LN_PI) / 2, 0),
        ("ln(2 / pi) / 2", (LN2 - LN_PI) / 2, 0),
    ):
        first, second = split(value, bits)
        print(f"{name} = {hex_f32(first)} + {hex_f32(second)}")
    print(f"pi = {hex_f32(f32(math.pi))}")


if __name__ == "__main__":
    main()
