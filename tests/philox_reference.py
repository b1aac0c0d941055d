"""Philox in Python's ints, what is made of its words in NumPy's floats, and Triton's numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC'11), section 3.
MULTIPLIERS = {32: (0xD2511F53, 0xCD9E8D57), 64: (0xD2E7470EE14C6C93, 0xCA5A826395121157)}
WEYL = {32: (0x9E3779B9, 0xBB67AE85), 64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)}


def philox(key: Sequence[int], counter: Sequence[int], rounds: int, bits: int) -> list[int]:
    """Philox4x`bits` with `rounds` rounds; the paper's L and R words are swapped in pairs."""
    word = 2**bits
    left, right = [counter[0], counter[2]], [counter[1], counter[3]]
    keys = list(key)
    for _ in range(rounds):
        products = [m * each for m, each in zip(MULTIPLIERS[bits], left, strict=True)]
        high, low = zip(*(divmod(each, word) for each in products), strict=True)
        left = [high[1 - i] ^ right[i] ^ keys[i] for i in range(2)]
        right = [low[1], low[0]]
        keys = [(k + step) % word for k, step in zip(keys, WEYL[bits], strict=True)]
    return [left[0], right[0], left[1], right[1]]


def stream(seed: int, offset: int, offset_bits: int = 32, rounds: int = 10) -> list[int]:
    """What tl.randint4x gives: `seed` modulo 2**64; `offset` of at most 32 bits modulo 2**32."""
    offset %= 2 ** max(offset_bits, 32)
    key = (seed % 2**32, seed % 2**64 >> 32)
    return philox(key, (offset % 2**32, offset >> 32, 0, 0), rounds, 32)


SCALES = {32: np.float32(4.6566127342e-10), 64: np.float32(1.0842020432385337e-19)}


def uniform(words: Any, bits: int = 32) -> np.ndarray:
    """Unsigned words as float32 in [0, 1)."""
    words = np.asarray(words, dtype=f"uint{bits}").astype(f"int{bits}", casting="unsafe")
    return np.where(words < 0, ~words, words).astype(np.float32) * SCALES[bits]


def normal(u1: np.ndarray, u2: np.ndarray) -> np.ndarray:
    """The pair of Box and Muller as float64, of an angle that is rounded to float32 beforehand."""
    angle = (np.float32(6.283185307179586) * u2).astype(np.float64)
    radius = np.sqrt(-2 * np.log(np.maximum(np.float32(1e-7), u1).astype(np.float64)))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)])


def ulps_off(values: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance in units of the last place of float32; below 1e-7 of that of 1e-7,
    where sines and cosines near their zeros are as exact as their angle."""
    unit = np.spacing(np.maximum(np.abs(exact), 1e-7).astype(np.float32)).astype(np.float64)
    return float(np.max(np.abs(values.astype(np.float64) - exact) / unit))


class Stream(NamedTuple):
    """A line of the table: what Triton gives for a seed and an offset, bits as ints."""

    seed_type: str
    seed: int
    offset_type: str
    offset: int
    rounds: int
    ints: list[int]
    uniforms: list[int]
    normals: list[int]


class Wide(NamedTuple):
    """Triton's philox of 64-bit counters, and its first word as bits of a uniform float32."""

    seed: int
    counter: list[int]
    rounds: int
    words: list[int]
    uniform: int


def table() -> tuple[list[Stream], list[Wide]]:
    streams, wides = [], []
    for line in (Path(__file__).parent / "random_table.txt").read_text().splitlines():
        given, _, found = line.partition(":")
        kind, *names = given.split()
        values = [int(each, 16) for each in found.split()] if kind != "#" else []
        if kind == "streams":
            key = (names[0], int(names[1]), names[2], int(names[3]), int(names[4]))
            streams.append(Stream(*key, values[:4], values[4:8], values[8:]))
        elif kind == "philox":
            seed, *counter, rounds = map(int, names)
            wides.append(Wide(seed, counter, rounds, values[:4], values[4]))
    return streams, wides


STREAMS, WIDES = table()
