"""Casts between all pairs of element types, against exact.py: at run time, stored and folded."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from engines import assert_same_bits, cuda_text, every
from exact import (
    BITS,
    FLOATS,
    INF,
    LANGUAGE,
    NAN,
    TORCH,
    TYPES,
    converted,
    from_bits,
    rounded,
    special_values,
    tensor,
)

import mytriton
import mytriton.language as tl
from mytriton import opt

# Each kernel below takes one tensor and a list of outputs of different types. A kernel's parameters
# have names, so all take the thirteen that there are, or repeat the last one.


@mytriton.jit
def casts_kernel(
    x, o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, N: tl.constexpr, BLOCK: tl.constexpr
):
    """Of each output, one part for blocks cast explicitly, one for stores that cast, and likewise
    of scalars: of the programs, the first ones have some lanes left."""
    program = tl.program_id(0)
    lane = program * BLOCK + tl.arange(0, BLOCK)
    mask = lane < N
    block, scalar = tl.load(x + lane, mask=mask), tl.load(x + program)
    for out in (o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12):
        to = out.dtype.element_ty
        tl.store(out + lane, block.to(to), mask=mask)
        tl.store(out + N + lane, block, mask=mask)
        tl.store(out + 2 * N + program, tl.cast(scalar, to))
        tl.store(out + 3 * N + program, scalar)


@mytriton.jit
def rtz_kernel(x, to_f16, to_bf16, to_f32, N: tl.constexpr):
    lane = tl.arange(0, N)
    a = tl.load(x + lane)
    for out in (to_f16, to_bf16, to_f32):
        to = out.dtype.element_ty
        if to.primitive_bitwidth < a.dtype.primitive_bitwidth:
            tl.store(out + lane, a.to(to, fp_downcast_rounding="rtz"))
            first = tl.load(x + 1)  # a scalar
            tl.store(out + N, tl.cast(first, to, "rtz"))


@mytriton.jit
def bitcasts_kernel(x, o0, o1, o2, o3, N: tl.constexpr):
    lane = tl.arange(0, N)
    a = tl.load(x + lane)
    for out in (o0, o1, o2, o3):
        to = out.dtype.element_ty
        tl.store(out + lane, a.to(to, bitcast=True))
        tl.store(out + N, tl.cast(tl.load(x + 1), to, bitcast=True))


# Source type -> what its values are cast to, one after the other.
CHAINS = {
    "i32": ["i8 i32", "u8 i32", "u8 i16 f32", "bool i32", "i16 u32"],
    "i64": ["i8 u8 i64", "u32 f32", "i32 i64", "f32 i64", "f64 u64"],
    "f32": ["f16 f32", "bf16 f32", "bf16 f16 f32", "u8 i8 i32", "i8 f32"],
    "f64": ["f32 f16", "f32 bf16", "f32 f64", "f16 f64", "bool f64", "i16 u8"],
}


@mytriton.jit
def chains_kernel(x, o0, o1, o2, o3, o4, o5, N: tl.constexpr, CHAINS: tl.constexpr):
    lane = tl.arange(0, N)
    for out, chain in zip((o0, o1, o2, o3, o4, o5), CHAINS, strict=False):
        a = tl.load(x + lane)
        for to in chain:
            a = a.to(to)
        tl.store(out + lane, a)


# --- what to launch ------------------------------------------------------------------------------


def outputs(names: list[str], size: int, most: int) -> list[torch.Tensor]:
    names = names + names[-1:] * (most - len(names))
    return [torch.zeros(size, dtype=TORCH[name]) for name in names]


def same_width(source: str) -> list[str]:
    return [name for name in TYPES if BITS[name] == BITS[source] and name != "bool"]


def chains_of(source: str) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(LANGUAGE[to] for to in chain.split()) for chain in CHAINS[source])


def casts_launch(source: str) -> tuple[Any, ...]:
    values = special_values(source)
    results = outputs(TYPES, 4 * len(values), 13)
    return casts_kernel, len(values), [tensor(values, source), *results], (len(values), 32)


def rtz_launch(source: str) -> tuple[Any, ...]:
    x = tensor(special_values(source), source)
    return rtz_kernel, 1, [x, *outputs(["f16", "bf16", "f32"], x.numel() + 1, 3)], (x.numel(),)


def patterns(source: str) -> list[int]:
    """All zeros and ones, each single bit and some others: signalling NaNs among them."""
    width = BITS[source]
    singles = [1 << i for i in range(width)]
    pattern = 0x123456789ABCDEF0 >> (64 - width)
    return [0, 2**width - 1, pattern, *singles, *(2**width - 1 - each for each in singles)]


def bitcasts_launch(source: str) -> tuple[Any, ...]:
    x = from_bits(patterns(source), source)
    return bitcasts_kernel, 1, [x, *outputs(same_width(source), x.numel() + 1, 4)], (x.numel(),)


def chains_launch(source: str) -> tuple[Any, ...]:
    x = tensor(special_values(source), source)
    results = outputs([chain.split()[-1] for chain in CHAINS[source]], x.numel(), 6)
    return chains_kernel, 1, [x, *results], (x.numel(), chains_of(source))


BITCASTABLE = [name for name in TYPES if name != "bool"]
LAUNCHES: list[tuple[Callable[[str], tuple[Any, ...]], list[str]]] = [
    *((casts_launch, TYPES), (rtz_launch, ["f32", "f64"])),
    *((bitcasts_launch, BITCASTABLE), (chains_launch, list(CHAINS))),
]


@pytest.fixture(scope="module")
def texts() -> None:
    """All CUDA texts are made before the first one runs: they are then compiled in one go."""
    for launch, sources in LAUNCHES:
        for source in sources:
            kernel, _, tensors, constants = launch(source)
            cuda_text(kernel).prepare(*tensors, *constants)


def results_of(engine: Any, launch: tuple[Any, ...]) -> list[torch.Tensor]:
    kernel, grid, tensors, constants = launch
    engine(kernel)[grid](*tensors, *constants)
    return tensors[1:]


# --- the tests -----------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("source", TYPES)
def test_casts(engine, texts: None, source: str) -> None:
    values = special_values(source)
    results = results_of(engine, casts_launch(source))
    for to, got in zip(TYPES, results, strict=True):
        expected = tensor([converted(each, source, to) for each in values], to)
        assert_same_bits(got, expected.repeat(4), tensor(values, source).repeat(4), to)


@every
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_casts_towards_zero(engine, texts: None, source: str) -> None:
    values = special_values(source)
    for to, got in zip(("f16", "bf16", "f32"), results_of(engine, rtz_launch(source)), strict=True):
        if BITS[to] < BITS[source]:
            expected = tensor([rounded(each, to, to_zero=True) for each in values], to)
            assert_same_bits(got, torch.cat([expected, expected[1:2]]), tensor(values, source))


@every
@pytest.mark.parametrize("source", BITCASTABLE)
def test_bitcasts(engine, texts: None, source: str) -> None:
    bits = patterns(source)
    results = results_of(engine, bitcasts_launch(source))
    for to, got in zip(same_width(source), results, strict=False):
        expected = from_bits([*bits, bits[1]], to)
        assert torch.equal(got.view(torch.uint8), expected.view(torch.uint8)), f"{source} to {to}"


@every
@pytest.mark.parametrize("source", CHAINS)
def test_a_chain_of_casts_keeps_every_step(engine, texts: None, source: str) -> None:
    results = results_of(engine, chains_launch(source))
    for chain, got in zip(CHAINS[source], results, strict=False):
        expected = values = special_values(source)
        types = [source, *chain.split()]
        for before, to in itertools.pairwise(types):
            expected = [converted(each, before, to) for each in expected]
        assert_same_bits(got, tensor(expected, types[-1]), tensor(values, source))


# --- constants -----------------------------------------------------------------------------------


def spelled(value: Any, name: str) -> str:
    if name == "bool":
        return str(value).lower()
    return f"{value!r}_{name}"


def read(text: str) -> Any:
    """The value of a constant as the IR prints it."""
    if text in ("true", "false"):
        return text == "true"
    number, _, suffix = text.partition("_")
    if number == "nan":
        return NAN
    is_float = any(each in number for each in ".en") or number in ("inf", "-inf")
    return rounded(float(number), suffix or "f32") if is_float else int(number)


def folded(op: str, source: str, to: str, values: list[Any]) -> list[Any]:
    """What the folder makes of casts of constants."""
    lines = [f"kernel k(out: ptr<{to}>) {{"]
    for i, value in enumerate(values):
        lines += [f"%{i} = {op} {spelled(value, source)} : {to}", f"store out, %{i}, none"]
    text = opt.run("\n".join([*lines, "}"]), "casts.mt", ["fold", "dce"], "ssa")
    return [read(each) for each in re.findall(r"store out, (\S+), none", text)]


@pytest.mark.parametrize("source", TYPES)
def test_the_folder_casts_as_engines_do(source: str) -> None:
    values = special_values(source)
    for to in TYPES:
        if to == source:
            continue
        expected = tensor([converted(each, source, to) for each in values], to)
        got = tensor(folded("cast", source, to, values), to)
        assert_same_bits(got, expected, tensor(values, source))
        if source in ("f32", "f64") and to in FLOATS and BITS[to] < BITS[source]:
            expected = tensor([rounded(each, to, to_zero=True) for each in values], to)
            assert_same_bits(tensor(folded("cast_rtz", source, to, values), to), expected)
        if BITS[to] == BITS[source] and "bool" not in (source, to):
            numbers = [each for each in values if each == each]  # there are many NaNs
            got = tensor(folded("bitcast", source, to, numbers), to)
            assert_same_bits(got, tensor(numbers, source).view(TORCH[to]))


@mytriton.jit
def constant_casts_kernel(ints, floats, bools, halves, bytes_):
    """Casts that tracing does itself."""
    tl.store(ints, 2.9)
    tl.store(ints + 1, float("nan"))
    tl.store(ints + 2, -3e9)
    tl.store(ints + 3, True)
    tl.store(ints + 4, tl.cast(-2.9, tl.int32))
    tl.store(ints + 5, tl.cast(300, tl.uint8).to(tl.int8).to(tl.int32))
    tl.store(ints + 6, tl.cast(2**31, tl.int32))
    tl.store(ints + 7, tl.cast(1.0, tl.float32).to(tl.int32, bitcast=True))
    tl.store(floats, 16777217)
    tl.store(floats + 1, True)
    tl.store(floats + 2, tl.cast(1 + 2**-11 + 2**-40, tl.float16))
    tl.store(floats + 3, tl.cast(1 + 2**-10 - 2**-23, tl.float32).to(tl.float16, "rtz"))
    tl.store(bools, 0.5)
    tl.store(bools + 1, -0.0)
    tl.store(bools + 2, -7)
    tl.store(halves, 65520.0)
    tl.store(halves + 1, 65519.999)
    tl.store(bytes_, -1)  # a store wraps, as it does other ints
    tl.store(bytes_ + 1, 2**63 + 5)


@every
def test_casts_of_constants(engine) -> None:
    ints, floats = torch.zeros(8, dtype=torch.int32), torch.zeros(4)
    bools, halves = torch.zeros(3, dtype=torch.bool), torch.zeros(2, dtype=torch.float16)
    bytes_ = torch.zeros(2, dtype=torch.uint8)
    engine(constant_casts_kernel)[1](ints, floats, bools, halves, bytes_)
    assert ints.tolist() == [2, 0, -(2**31), 1, -2, 44, -(2**31), 0x3F800000]
    assert floats.tolist() == [16777216.0, 1.0, 1 + 2**-10, 1.0]
    assert bools.tolist() == [True, False, True]
    assert halves.tolist() == [INF, 65504.0]
    assert bytes_.tolist() == [255, 5]


# --- what is refused -----------------------------------------------------------------------------


def traced(body: Callable[..., Any], *types: str) -> None:
    """Compiles a kernel of up to three tensors that runs `body` on one lane of each."""

    def kernel(a, b, c):
        body(*(tl.load(each) for each in (a, b, c)))

    mytriton.jit(kernel).compile(*types, *["*fp32"] * (3 - len(types)))


@pytest.mark.parametrize(
    ("body", "types", "message"),
    [
        (lambda a, b, c: a.to(tl.int16, bitcast=True), ["*fp32"], "cannot bitcast f32 to i16"),
        (lambda a, b, c: a.to(tl.int1, bitcast=True), ["*i8"], "cannot bitcast i8 to bool"),
        (lambda a, b, c: a.to(tl.bfloat16, "rtz"), ["*fp16"], "got fp16 to bf16"),
        (lambda a, b, c: a.to(tl.int8, "rtz"), ["*fp32"], "got fp32 to int8"),
        (lambda a, b, c: a.to(tl.float64, "rtne"), ["*fp32"], "got fp32 to fp64"),
        (lambda a, b, c: a.to(tl.float16, "up"), ["*fp32"], "must be 'rtne' or 'rtz', got 'up'"),
        (lambda a, b, c: a.to("float16"), ["*fp32"], "expected a dtype such as tl.float32"),
        (lambda a, b, c: a.to(torch.float16), ["*fp32"], "expected a dtype such as tl.float32"),
        (lambda a, b, c: a.to(tl.pointer_type(tl.int8)), ["*fp32"], "expected a dtype"),
    ],
)
def test_refused_casts(body: Callable[..., Any], types: list[str], message: str) -> None:
    with pytest.raises(mytriton.CompileError, match=message):
        traced(body, *types)
