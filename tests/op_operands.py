"""Operands for the tests of elementwise ops: special values of each element type, random bits."""

import itertools
from typing import Any

import torch

DTYPES = {
    "bool": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
HALF = (torch.float16, torch.bfloat16)
NAN, INF = float("nan"), float("inf")


def is_int(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and dtype != torch.bool


def special_values(element: str) -> list[Any]:
    """Where something changes: zeros, ones, halves, limits, denormals, shifts by the width."""
    dtype = DTYPES[element]
    if dtype == torch.bool:
        return [False, True]
    if is_int(dtype):
        info, width = torch.iinfo(dtype), 8 * dtype.itemsize
        values = [0, 1, -1, 2, -2, 3, 7, -10, width - 1, width, width + 1, 2 ** (width // 2)]
        values += [info.max, info.max - 1, info.min, info.min + 1, info.max // 2 + 1]
        return list(dict.fromkeys(each for each in values if info.min <= each <= info.max))
    info = torch.finfo(dtype)
    denormal = info.smallest_normal * info.eps
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 7.0, 88.5, -103.5, NAN]
    values += [INF, -INF, info.max, info.min, info.smallest_normal, denormal, -3 * denormal]
    # The number just below 0.5, and the last one that has a fraction.
    return [*values, 0.5 - info.eps / 4, -(1 / info.eps - 0.5)]


def random_bits(dtype: torch.dtype, count: int, seed: int = 6) -> torch.Tensor:
    """Of floats these are of all magnitudes."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.randint(0, 2, (count,), generator=generator).bool()
    size = dtype.itemsize
    return torch.randint(0, 256, (count * size,), dtype=torch.uint8, generator=generator).view(
        dtype
    )


def random_values(dtype: torch.dtype, count: int, seed: int = 7) -> torch.Tensor:
    """Random bits, then numbers near zero: floats of one magnitude, and small ints."""
    near = 4 * torch.randn(count, generator=torch.Generator().manual_seed(seed))
    rest = near.to(dtype) if dtype.is_floating_point else near.abs().to(torch.uint8).to(dtype)
    return torch.cat([random_bits(dtype, count, seed), rest])


def special_tensor(element: str) -> torch.Tensor:
    return torch.tensor(special_values(element), dtype=DTYPES[element])


def operand_triples(element: str) -> list[torch.Tensor]:
    """All pairs of special values beside a third one, all triples of some, and random ones."""
    values = special_values(element)
    pairs = list(itertools.product(values, repeat=2))
    triples = [(*pair, values[(5 * i + 3) % len(values)]) for i, pair in enumerate(pairs)]
    some = values if len(values) <= 8 else values[:: len(values) // 7][:8]
    triples += itertools.product(some, repeat=3)
    dtype = DTYPES[element]
    columns = [torch.tensor(column, dtype=dtype) for column in zip(*triples, strict=True)]
    return [
        torch.cat([column, random_values(dtype, 61, seed=i)]) for i, column in enumerate(columns)
    ]
