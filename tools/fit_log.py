"""Fits the constants of csrc/ir/math_log.h and prints them as C++ hex floats.

x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and log(1 + f) is approximated by f + f^2 p(f)
in the base of each function. For powf, log2(1 + f) = s (c + z (a + z q(z))) with s = f / (2 + f),
z = s^2 and c = 2 / ln 2; there a is a sum of two f32.

What is minimised is the largest error beside the logarithm of 1 + f, which for k = 0 is the result.
Constants that take two f32 are the nearest f32 and the f32 nearest to what is left.

Needs numpy. Run: python tools/fit_log.py
"""

import math
from fractions import Fraction

import numpy as np
from remez import fit, hex_f32, largest_error, minimax, split

LN2 = Fraction(69314718055994530941723212145817656807550013436026, 10**50)
LN10 = Fraction(230258509299404568401799145468436420760110148862877, 10**50)
BOUNDS = (math.sqrt(0.5) - 1, math.sqrt(2) - 1)
DEGREE = 8


def log1p_tail(f: np.ndarray) -> np.ndarray:
    """(log(1 + f) - f) / f^2"""
    series = -sum((-f) ** k / (k + 2) for k in range(14))
    divisor = np.where(f == 0, 1, f)
    return np.where(np.abs(f) < 0.02, series, (np.log1p(f) - f) / divisor**2)


def show_two(name: str, value: Fraction) -> None:
    high, low = split(value)
    print(f"{name}  {hex_f32(high)} {hex_f32(low)}")


def show_log(name: str, base: float) -> None:
    def tail(f: np.ndarray) -> np.ndarray:
        return log1p_tail(f) / base

    def weight(f: np.ndarray) -> np.ndarray:
        return f * base / (1 + f * log1p_tail(f))

    best = fit(tail, weight, BOUNDS, range(DEGREE + 1))
    print(name)
    for k, c in best.items():
        print(f"  p{k}  {hex_f32(c)}")
    error = largest_error(best, tail, weight, BOUNDS)
    print(f"  largest relative error before evaluation: {error / 2**-24:.3f} * 2^-24")


def show_log2_for_powf() -> None:
    factor = float(2 / LN2)
    bounds = (0.0, (BOUNDS[1] / (2 + BOUNDS[1])) ** 2 * (1 + 1e-6))

    def tail(z: np.ndarray) -> np.ndarray:
        """(log2(1 + f) / s - c) / z"""
        return factor * sum(z**k / (2 * k + 3) for k in range(16))

    def weight(z: np.ndarray) -> np.ndarray:
        return z / (factor + z * tail(z))

    high, low = split(minimax(tail, weight, bounds, range(4))[0])
    best = fit(tail, weight, bounds, range(4), {0: high + low})
    print("log2 for powf")
    show_two("  c ", 2 / LN2)
    print(f"  a   {hex_f32(high)} {hex_f32(low)}")
    for k in range(1, 4):
        print(f"  q{k - 1}  {hex_f32(best[k])}")
    error = largest_error(best, tail, weight, bounds)
    print(f"  largest relative error before evaluation: 2^{math.log2(error):.1f}")


def main() -> None:
    show_two("ln 2     ", LN2)
    show_two("log2(e)  ", 1 / LN2)
    show_two("log10(e) ", 1 / LN10)
    show_two("log10(2) ", LN2 / LN10)
    show_log("log", 1.0)
    show_log("log2", float(LN2))
    show_log("log10", float(LN10))
    show_log2_for_powf()


if __name__ == "__main__":
    main()
