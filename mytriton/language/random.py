"""Random numbers of kernels: Philox, the counter-based generator of Salmon et al. (2011).

"Parallel random numbers: as easy as 1, 2, 3", SC'11: a bijection of four words, keyed by two, whose
round is two wide multiplications. Block `offset` of stream `seed` is the bijection of the counter
(offset low, offset high, 0, 0) under the key (seed low, seed high), so that a number depends on
these two alone: not on blocks, programs or devices. All are Triton's numbers; `rand` is so to the
bit, `randn` within the accuracy of the functions below it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from mytriton import language as _tl
from mytriton.dtypes import DTYPES
from mytriton.errors import CompileError
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import tensor

__all__ = [
    "pair_uniform_to_normal",
    "philox",
    "philox_impl",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "uint_to_uniform_float",
]

# A traced value. Its operators come from the compiler's table, where type checkers do not see them.
Value: TypeAlias = Any
Four = tuple[Value, Value, Value, Value]
_N_ROUNDS = 10  # the paper's choice, with which the generator passed all tests of BigCrush
_MAX_ROUNDS = 1000

_int32, _int64, _float32 = DTYPES["i32"], DTYPES["i64"], DTYPES["f32"]
_uint32, _uint64 = DTYPES["u32"], DTYPES["u64"]


class _Constants(NamedTuple):
    """The paper's multipliers, of the first and of the third word, and what each round adds to the
    key (the golden ratio and the square root of 3, minus their whole parts)."""

    multipliers: tuple[int, int]
    key_steps: tuple[int, int]


_CONSTANTS = {
    32: _Constants((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: _Constants(
        (0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
    ),
}


def _int_operand(function: str, name: str, value: Any) -> Value:
    value = to_tensor(value)
    if not value.dtype.is_int():
        raise CompileError(f"{function}: {name} must be an int, got {value.dtype}", caller_place())
    return value


def _rounds(function: str, n_rounds: Any) -> int:
    count = constant_int(n_rounds, f"{function}: n_rounds")
    if not 0 <= count <= _MAX_ROUNDS:
        raise CompileError(
            f"{function}: n_rounds must be 0 to {_MAX_ROUNDS}, got {count}", caller_place()
        )
    return count


def _product(a: Value, constant: int) -> tuple[Value, Value]:
    """High and low word of a * constant."""
    return _tl.umulhi(a, constant), a * constant  # type: ignore[attr-defined]


def philox_impl(
    c0: Value,
    c1: Value,
    c2: Value,
    c3: Value,
    k0: Value,
    k1: Value,
    n_rounds: int = _N_ROUNDS,
) -> Four:
    """The counter (c0, c1, c2, c3) after `n_rounds` rounds of Philox under the key (k0, k1).

    All are uint32 (Philox4x32) or all uint64 (Philox4x64); scalars and blocks of one shape. The
    result has four blocks of that type.
    """
    for name, each in {"c0": c0, "c1": c1, "c2": c2, "c3": c3, "k0": k0, "k1": k1}.items():
        if not isinstance(each, tensor) or each.dtype not in (_uint32, _uint64):
            got = each.dtype if isinstance(each, tensor) else type(each).__name__
            raise CompileError(
                f"philox_impl: {name} must be a uint32 or a uint64, got {got}", caller_place()
            )
        if each.dtype != c0.dtype:
            raise CompileError(
                f"philox_impl: {name} is {each.dtype}, but c0 is {c0.dtype}", caller_place()
            )
    constants = _CONSTANTS[c0.dtype.primitive_bitwidth]
    for _ in range(_rounds("philox_impl", n_rounds)):
        high0, low0 = _product(c0, constants.multipliers[0])
        high2, low2 = _product(c2, constants.multipliers[1])
        c0, c1, c2, c3 = high2 ^ c1 ^ k0, low2, high0 ^ c3 ^ k1, low0
        k0, k1 = k0 + constants.key_steps[0], k1 + constants.key_steps[1]
    return c0, c1, c2, c3


def philox(seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: int = _N_ROUNDS) -> Four:
    """Philox of the counter (c0, c1, c2, c3): four uint32 where the counter has 32 bits, four
    uint64 where it has 64.

    `seed`: an int of any type, taken modulo 2**64. The counter: ints of one width, scalars or
    blocks of one shape.
    """
    seed = _int_operand("philox", "seed", seed).to(_uint64)
    counter = [to_tensor(each) for each in (c0, c1, c2, c3)]
    width = counter[0].dtype.primitive_bitwidth
    if width not in _CONSTANTS:
        raise CompileError(
            f"philox: c0 must have 32 or 64 bits, got {counter[0].dtype}", caller_place()
        )
    word = _uint32 if width == 32 else _uint64
    c0, c1, c2, c3 = (each.to(word, bitcast=True) for each in counter)
    if width == 32:
        low, high = seed.to(_uint32), (seed >> 32).to(_uint32)
    else:
        low, high = seed, to_tensor(0).to(_uint64)
    return philox_impl(c0, c1, c2, c3, low, high, _rounds("philox", n_rounds))


def _randint4x(function: str, seed: Any, offset: Any, n_rounds: int) -> Four:
    seed = _int_operand(function, "seed", seed)
    offset = _int_operand(function, "offset", offset)
    low, zero = offset.to(_uint32), to_tensor(0).to(_uint32)
    high = (offset >> 32).to(_uint32) if offset.dtype.primitive_bitwidth > 32 else zero
    return philox(seed, low, high, zero, zero, _rounds(function, n_rounds))


def randint4x(seed: Any, offset: Any, n_rounds: int = _N_ROUNDS) -> Four:
    """Four blocks of random uint32, in the shape of `offset`: of one call of the generator, and so
    as cheap as one block.

    `seed`: an int scalar. `offset`: ints; equal offsets get equal numbers. Of an `offset` of 8 or
    16 bits, as of one of 32, the sign extends to 32 bits; one of 64 is used in full.
    """
    return _randint4x("randint4x", seed, offset, n_rounds)


def randint(seed: Any, offset: Any, n_rounds: int = _N_ROUNDS) -> Value:
    """A block of random uint32: the first of ``randint4x``."""
    return _randint4x("randint", seed, offset, n_rounds)[0]


def uint_to_uniform_float(x: Value) -> Value:
    """Random bits as float32 in [0, 1).

    `x`: uint32, int32, uint64 or int64. As a signed number its negative half is folded onto the
    other one; that is scaled by a number just small enough for the largest to stay below 1.
    """
    if not isinstance(x, tensor) or x.dtype not in (_int32, _uint32, _int64, _uint64):
        got = x.dtype if isinstance(x, tensor) else type(x).__name__
        raise CompileError(
            f"uint_to_uniform_float: expected ints of 32 or 64 bits, got {got}", caller_place()
        )
    wide = x.dtype.primitive_bitwidth == 64
    signed: Value = x.to(_int64 if wide else _int32, bitcast=True)
    folded: Value = _tl.where(signed < 0, ~signed, signed)
    # Triton's scales, a little below 2**-31 and 2**-63: as float32 the largest ints round up to
    # 2**31 and 2**63.
    return folded.to(_float32) * (1.0842020432385337e-19 if wide else 4.6566127342e-10)


def rand(seed: Any, offset: Any, n_rounds: int = _N_ROUNDS) -> Value:
    """A block of float32, uniform in [0, 1); arguments as for ``randint4x``."""
    return uint_to_uniform_float(_randint4x("rand", seed, offset, n_rounds)[0])


def _rand4x(function: str, seed: Any, offset: Any, n_rounds: int) -> Four:
    a, b, c, d = _randint4x(function, seed, offset, n_rounds)
    return (
        uint_to_uniform_float(a),
        uint_to_uniform_float(b),
        uint_to_uniform_float(c),
        uint_to_uniform_float(d),
    )


def rand4x(seed: Any, offsets: Any, n_rounds: int = _N_ROUNDS) -> Four:
    """Four blocks of float32, uniform in [0, 1), for the price of one; as ``randint4x``."""
    return _rand4x("rand4x", seed, offsets, n_rounds)


def pair_uniform_to_normal(u1: Value, u2: Value) -> tuple[Value, Value]:
    """Two independent normal variates of two uniform ones, by Box and Muller (1958).

    The radius is that of `u1`, at least 1e-7, so that it is at most 5.7; the angle is that of `u2`.
    """
    radius = _tl.sqrt(-2.0 * _tl.log(_tl.maximum(1.0e-7, u1)))  # type: ignore[attr-defined]
    angle = 6.283185307179586 * u2
    return radius * _tl.cos(angle), radius * _tl.sin(angle)  # type: ignore[attr-defined]


def randn(seed: Any, offset: Any, n_rounds: int = _N_ROUNDS) -> Value:
    """A block of float32, normal with mean 0 and variance 1; arguments as for ``randint4x``."""
    a, b, _, _ = _randint4x("randn", seed, offset, n_rounds)
    return pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))[0]


def randn4x(seed: Any, offset: Any, n_rounds: int = _N_ROUNDS) -> Four:
    """Four blocks of float32, normal with mean 0 and variance 1, for the price of two."""
    a, b, c, d = _rand4x("randn4x", seed, offset, n_rounds)
    return (*pair_uniform_to_normal(a, b), *pair_uniform_to_normal(c, d))
