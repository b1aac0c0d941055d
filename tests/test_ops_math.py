"""Rows whose bits are not fixed, such as exp: within their documented error on every float type,
exact where operands are special, and the same bits on all engines."""

import functools

import pytest
import torch
from engines import assert_same_bits, compiled, cuda_text, evaluated, every
from op_kernels import Result, math_rows, run_blocks
from op_operands import DTYPES, operand_triples, random_values
from op_references import OTHERWISE_ON_CUDA, ROWS, accurate

FLOATS = [element for element, dtype in DTYPES.items() if dtype.is_floating_point]
MOST_ULP_OF_F64 = 2.0  # beside the C library
# Rows of which f64 has one algorithm on all engines, which cancels: an ulp is that of 1, at least,
# and of the logarithm of the operand.
CANCELLING = {"digamma"}


def spacing(x: torch.Tensor) -> torch.Tensor:
    """From each finite float's magnitude to the next larger one."""
    magnitude = x.abs()
    info = torch.finfo(x.dtype)
    exponent = torch.frexp(magnitude.clamp_min(info.smallest_normal)).exponent - 1
    return torch.ldexp(torch.full_like(magnitude, info.eps).double(), exponent)


def assert_close(
    got: torch.Tensor,
    exact: torch.Tensor,
    ulp: float,
    operands: list[torch.Tensor],
    cancelling: bool = False,
) -> None:
    """`exact` is f64: the true result or one that is far closer to it than `ulp`."""
    nearest = exact.to(got.dtype)
    # To the bit: what is not a number or infinite; signs; and zeros and ones of special operands.
    special = torch.zeros_like(exact, dtype=torch.bool)
    for each in operands:
        special |= (each == 0) | (each.abs() == 1) | each.isinf()
    special &= (exact == 0) | (exact.abs() == 1)
    special |= ~nearest.isfinite()
    chosen = [each[special] for each in operands]
    assert_same_bits(got[special], nearest[special], *chosen)
    rest = ~special
    got, exact, nearest = got[rest], exact[rest], nearest[rest]
    operands = [each[rest] for each in operands]
    unit = spacing(nearest)
    if cancelling:
        unit = torch.maximum(unit, spacing(operands[0].abs().log().abs().clamp_min(1.0)))
    off = (got.double() - exact).abs() / unit
    wrong = ~(off <= ulp) | ((got.signbit() != exact.signbit()) & (exact.abs() > ulp * unit))
    if wrong.any():
        worst = int(torch.where(wrong, off, -1.0).nan_to_num(1e308).argmax())
        given = [each[worst].item() for each in operands]
        raise AssertionError(
            f"{int(wrong.sum())} of {wrong.numel()} are off by more than {ulp} ulp; "
            f"{off[worst]:.3g} is {got[worst].item()!r}, not {exact[worst].item()!r}, of {given}"
        )


@functools.cache
def columns(element: str) -> list[torch.Tensor]:
    """Operands, the last of them where functions change: by their zeros, poles and limits."""
    dtype = DTYPES[element]
    triples = operand_triples(element)
    places = torch.cat(
        [
            torch.linspace(-110, 110, 401, dtype=torch.float64),
            torch.linspace(-1.05, 1.05, 401, dtype=torch.float64),
            torch.arange(-40, 41) * (torch.pi / 2),
            torch.linspace(-12, 4, 321, dtype=torch.float64),
            torch.logspace(-40, 38, 157, dtype=torch.float64),
            torch.linspace(-760, 760, 153, dtype=torch.float64),
        ]
    ).to(dtype)
    moved = places.roll(len(places) // 3)
    more = [places, torch.cat([moved[::2], moved[1::2]]), moved]
    return [
        torch.cat([triple, random_values(dtype, 500, seed=40 + i), each])
        for i, (triple, each) in enumerate(zip(triples, more, strict=True))
    ]


def ulp_of(engine, name: str, element: str) -> float:
    cpu, cuda, cuda_f64 = ROWS[name]["ulp"]
    if engine is cuda_text and name in OTHERWISE_ON_CUDA:
        return cuda_f64 if element == "f64" else cuda
    if element == "f64" and name in CANCELLING:
        return cuda_f64
    return MOST_ULP_OF_F64 if element == "f64" else cpu


@functools.cache
def exact(name: str, element: str) -> torch.Tensor:
    return accurate(name, *columns(element)[: ROWS[name]["operands"]])


@functools.cache
def results(engine, element: str):
    return run_blocks(engine, element, math_rows(element), columns(element))


@every
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_within_the_documented_error(engine, element: str) -> None:
    got, operands = results(engine, element)

    def check(row: Result, values: torch.Tensor) -> None:
        given = [operands[each] for each in row.operands]
        ulp = ulp_of(engine, row.name, element)
        cancelling = element == "f64" and row.name in CANCELLING
        assert_close(values, exact(row.name, element), ulp, given, cancelling)

    got.check(check)


@pytest.mark.parametrize("element", FLOATS)
def test_engines_agree_to_the_bit(element: str) -> None:
    first, operands = results(compiled, element)
    for engine in (evaluated, cuda_text):
        other, _ = results(engine, element)

        def check(row: Result, values: torch.Tensor) -> None:
            given = [operands[each] for each in row.operands]
            assert_same_bits(values, first.of(row), *given)

        if engine is cuda_text:
            other.rows = [row for row in other.rows if row.name not in OTHERWISE_ON_CUDA]
        other.check(check)


@every
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_16_bits_are_those_of_f32_rounded(engine, element: str) -> None:
    got, operands = results(engine, element)
    wide, _ = run_blocks(
        engine, "f32", math_rows("f32"), [each.float() for each in columns(element)]
    )

    def check(row: Result, values: torch.Tensor) -> None:
        given = [operands[each] for each in row.operands]
        of_f32 = next(each for each in wide.rows if each.name == row.name)
        assert_same_bits(values, wide.of(of_f32).to(DTYPES[element]), *given)

    got.check(check)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_every_value_of_16_bits(element: str) -> None:
    """Unary rows on all of them, and in f32 within the documented error."""
    x = torch.arange(65536).to(torch.uint16).view(DTYPES[element])
    got, _ = run_blocks(compiled, element, math_rows(element), [x, x.flip(0), x])
    wide, _ = run_blocks(
        compiled, "f32", math_rows("f32"), [x.float(), x.flip(0).float(), x.float()]
    )

    def check(row: Result, values: torch.Tensor) -> None:
        of_f32 = next(each for each in wide.rows if each.name == row.name)
        given = [x.float(), x.flip(0).float()][: ROWS[row.name]["operands"]]
        assert_same_bits(values, wide.of(of_f32).to(x.dtype), *given)
        assert_close(wide.of(of_f32), accurate(row.name, *given), ROWS[row.name]["ulp"][0], given)

    got.check(check)
