"""Element types as objects, and tensors of each of them: loaded, stored, masked and gathered."""

import copy
import pickle
from typing import Any

import pytest
import torch
from engines import assert_same_bits, cuda_text, every
from exact import BITS, FLOATS, LANGUAGE, TORCH, TYPES, special_values, tensor
from refusals import refusal

import mytriton
import mytriton.language as tl
from mytriton import _C

# --- the objects ---------------------------------------------------------------------------------

# IR name: name in the language, short name, bits.
NAMES = {
    "bool": ("int1", "int1", 1),
    "i8": ("int8", "int8", 8),
    "i16": ("int16", "int16", 16),
    "i32": ("int32", "int32", 32),
    "i64": ("int64", "int64", 64),
    "u8": ("uint8", "uint8", 8),
    "u16": ("uint16", "uint16", 16),
    "u32": ("uint32", "uint32", 32),
    "u64": ("uint64", "uint64", 64),
    "f16": ("float16", "fp16", 16),
    "bf16": ("bfloat16", "bf16", 16),
    "f32": ("float32", "fp32", 32),
    "f64": ("float64", "fp64", 64),
}


def test_every_type_has_its_names_and_width() -> None:
    assert list(NAMES) == TYPES
    for ir, (name, short, bits) in NAMES.items():
        dtype = getattr(tl, name)
        assert (str(dtype), dtype.name, repr(dtype)) == (short, short, f"mytriton.language.{name}")
        assert (dtype.primitive_bitwidth, dtype.itemsize) == (bits, bits // 8)
        assert dtype.scalar is dtype
        if ir in FLOATS:
            assert not hasattr(dtype, "int_bitwidth") and not hasattr(dtype, "int_signedness")
        else:
            assert dtype.int_bitwidth == bits
            assert (dtype.int_signedness is tl.dtype.SIGNEDNESS.SIGNED) == dtype.is_int_signed()
            assert (dtype.int_signedness is tl.dtype.SIGNEDNESS.UNSIGNED) != dtype.is_int_signed()
        assert isinstance(dtype, tl.dtype) and name in tl.__all__


@pytest.mark.parametrize("ir", TYPES)
def test_the_questions_that_a_type_answers(ir: str) -> None:
    dtype = LANGUAGE[ir]
    answers = {
        "is_floating": ir in FLOATS,
        "is_standard_floating": ir in FLOATS,
        "is_int": ir not in FLOATS,
        "is_int_signed": ir in ("i8", "i16", "i32", "i64"),
        "is_int_unsigned": ir in ("u8", "u16", "u32", "u64", "bool"),
        "is_bool": ir == "bool",
        "is_ptr": False,
        "is_block": False,
        **{f"is_{short}": ir == other for other, (_, short, _) in NAMES.items()},
    }
    assert {question: getattr(dtype, question)() for question in answers} == answers


def test_types_are_equal_to_themselves_only() -> None:
    types = [*LANGUAGE.values(), *(tl.pointer_type(each) for each in LANGUAGE.values())]
    for i, a in enumerate(types):
        for j, b in enumerate(types):
            assert (a == b) == (i == j) and (a != b) == (i != j)
        assert a != "fp32" and a != torch.float32
    assert len(set(types)) == len(types)


def test_types_of_pointers() -> None:
    pointer = tl.pointer_type(tl.float16)
    assert pointer.element_ty is tl.float16
    assert (str(pointer), pointer.primitive_bitwidth) == ("pointer<fp16>", 64)
    assert pointer.is_ptr() and not pointer.is_fp16()
    assert not (pointer.is_floating() or pointer.is_int() or pointer.is_bool())
    same = tl.pointer_type(tl.float16)
    assert pointer == same and hash(pointer) == hash(same)


@mytriton.jit
def signedness_kernel(x, out):
    signed = x.dtype.element_ty.int_signedness == tl.dtype.SIGNEDNESS.SIGNED
    tl.store(out, 1 if signed else 2)


def test_kernels_ask_for_the_signedness() -> None:
    out = torch.zeros(1, dtype=torch.int32)
    for dtype, expected in ((torch.int8, 1), (torch.uint16, 2), (torch.bool, 2)):
        signedness_kernel[1](torch.zeros(1, dtype=dtype), out)
        assert out.item() == expected


def test_there_is_one_object_a_type() -> None:
    for dtype in LANGUAGE.values():
        assert pickle.loads(pickle.dumps(dtype)) is dtype
        assert copy.copy(dtype) is dtype and copy.deepcopy(dtype) is dtype
        pointer = tl.pointer_type(dtype)
        assert pickle.loads(pickle.dumps(pointer)) == pointer


def test_the_table_that_the_compiler_gives() -> None:
    rows = _C.dtype_rows()
    assert [(row["name"], row["short"], row["bits"]) for row in rows] == list(NAMES.values())


@mytriton.jit
def questions_kernel(x, out, TO: tl.constexpr, NOTE: tl.constexpr):
    element = x.dtype.element_ty
    a = tl.load(x)
    block = tl.load(x + tl.arange(0, 4))
    NOTE([x.dtype, x.type, element, a.dtype, block.dtype, block.shape, a.shape, a.to(TO).dtype])
    if TO.is_floating() and TO.primitive_bitwidth <= 32 and element == tl.int8:
        a = a.to(tl.float32)
    tl.store(out, a.to(TO))


@pytest.mark.parametrize("ir", TYPES)
def test_types_in_kernels_and_as_constexprs(ir: str) -> None:
    dtype, seen = LANGUAGE[ir], []
    x, out = tensor([1] * 4, "i8"), torch.zeros(1, dtype=TORCH[ir])
    questions_kernel[1](x, out, TO=dtype, NOTE=seen.extend)
    pointer = tl.pointer_type(tl.int8)
    assert seen == [pointer, pointer, tl.int8, tl.int8, tl.int8, (4,), (), dtype]
    assert out.tolist() == [1]


def test_a_constexpr_of_another_type_is_another_specialisation() -> None:
    @mytriton.jit
    def kernel(out, TO: tl.constexpr):
        tl.store(out, tl.cast(300.7, TO))

    out = torch.zeros(1)
    given = {}
    for ir in TYPES:
        kernel[1](out, LANGUAGE[ir])
        given[ir] = out.item()
    wide = dict.fromkeys(("i16", "i32", "i64", "u16", "u32", "u64"), 300.0)
    halves = {"f16": 300.75, "bf16": 300.0}
    expected = {"bool": 1.0, "i8": 127.0, "u8": 255.0, **wide, **halves}
    assert given == {**expected, **dict.fromkeys(("f32", "f64"), torch.tensor(300.7).item())}


# --- tensors -------------------------------------------------------------------------------------


@mytriton.jit
def memory_kernel(x, at, out, n, s, N: tl.constexpr, BLOCK: tl.constexpr):
    """Six parts of N elements: copied with and without a mask, with `other`, gathered, scattered,
    and element by element through scalar pointers."""
    program = tl.program_id(0)
    lane = program * BLOCK + tl.arange(0, BLOCK)
    mask = lane < n
    tl.store(out + lane, tl.load(x + lane))
    part = out + N
    tl.store(part + lane, tl.load(x + lane, mask=mask), mask=mask)
    part = out + 2 * N
    tl.store(part + lane, tl.load(x + lane, mask=mask & (lane % 3 != 0), other=s))
    part = out + 3 * N
    tl.store(part + lane, tl.load(x + tl.load(at + lane)))
    part = out + 4 * N
    tl.store(part + tl.load(at + lane), tl.load(x + lane))
    part = out + 5 * N
    for i in range(3):
        scalar = part + (program * BLOCK + i)
        tl.store(scalar, tl.load(x + (program * BLOCK + i)))


SIZE, BLOCK, SHOWN = 96, 32, 77


def memory_launch(ir: str) -> tuple[torch.Tensor, ...]:
    """x, the permutation and the output; x and out do not start where their storage does."""
    values = special_values(ir)
    many = [values[i % len(values)] for i in range(SIZE + 3)]
    at = (torch.arange(SIZE, dtype=torch.int32) * 35 + 7) % SIZE
    out = tensor([values[1]] * (6 * SIZE + 5), ir)
    return tensor(many, ir)[3:], at, out[5:]


def memory_expected(ir: str, other: Any) -> torch.Tensor:
    x, at, out = memory_launch(ir)
    wide = x.view(torch.int8) if ir == "bool" else x
    ints = wide.view({8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}[BITS[ir]])
    parts = [each.clone() for each in out.view(ints.dtype).split(SIZE)]
    lane = torch.arange(SIZE)
    parts[0] = ints
    parts[1] = torch.where(lane < SHOWN, ints, parts[1])
    fallback = tensor([other], ir).view(ints.dtype)
    parts[2] = torch.where((lane < SHOWN) & (lane % 3 != 0), ints, fallback)
    parts[3] = ints[at.long()]
    parts[4][at.long()] = ints
    parts[5] = torch.where(lane % BLOCK < 3, ints, parts[5])
    return torch.cat(parts).view(x.dtype)


@pytest.fixture(scope="module")
def texts() -> None:
    """All CUDA texts are made before the first one runs: they are then compiled in one go."""
    for ir in TYPES:
        cuda_text(memory_kernel).prepare(*memory_launch(ir), SHOWN, 1, N=SIZE, BLOCK=BLOCK)


@every
@pytest.mark.parametrize("ir", TYPES)
def test_tensors_of_every_type(engine, texts: None, ir: str) -> None:
    x, at, out = memory_launch(ir)
    kept, before = x.clone(), out.untyped_storage().tolist()[: 5 * out.element_size()]
    engine(memory_kernel)[SIZE // BLOCK](x, at, out, SHOWN, 1, N=SIZE, BLOCK=BLOCK)
    assert_same_bits(out, memory_expected(ir, 1))
    assert_same_bits(x, kept)
    assert out.untyped_storage().tolist()[: len(before)] == before


@mytriton.jit
def bools_kernel(x, out):
    lane = tl.arange(0, 8)
    tl.store(out + lane, tl.load(x + lane))


@every
def test_any_byte_but_zero_is_true_and_true_is_stored_as_one(engine) -> None:
    held = torch.tensor([0, 1, 2, 128, 255, 0, 7, 1], dtype=torch.uint8)
    out = torch.full((8,), 9, dtype=torch.uint8)
    engine(bools_kernel)[1](held.view(torch.bool), out.view(torch.bool))
    assert out.tolist() == [0, 1, 1, 1, 1, 0, 1, 1]


# --- numbers as arguments ------------------------------------------------------------------------


@mytriton.jit
def arguments_kernel(n, wide, flag, f, ints, floats, bools, NOTE: tl.constexpr):
    NOTE([n.dtype, wide.dtype, flag.dtype, f.dtype])
    tl.store(ints, n)
    tl.store(ints + 1, wide)
    tl.store(ints + 2, flag)
    tl.store(ints + 3, f)
    tl.store(ints + 4, n * 2)  # wraps in 32 bits
    tl.store(ints + 5, wide + n)
    tl.store(floats, f)
    tl.store(floats + 1, wide)
    tl.store(bools, flag)
    tl.store(bools + 1, wide)
    tl.store(bools + 2, f)


@every
@pytest.mark.parametrize("wide", [2**31, -(2**31) - 1, 2**32, 2**63 - 1, -(2**63)])
def test_ints_bools_and_floats_as_arguments(engine, wide: int) -> None:
    ints, floats = torch.zeros(6, dtype=torch.int64), torch.zeros(2, dtype=torch.float64)
    bools, seen = torch.zeros(3, dtype=torch.bool), []
    n = 2**31 - 1
    engine(arguments_kernel)[1](n, wide, True, 0.1, ints, floats, bools, NOTE=seen.extend)
    assert seen[:4] == [tl.int32, tl.int64, tl.int1, tl.float32]
    total = (wide + n + 2**63) % 2**64 - 2**63
    assert ints.tolist() == [n, wide, 1, 0, -2, total]
    assert floats.tolist() == [torch.tensor(0.1).item(), float(wide)]
    assert bools.tolist() == [True, True, True]


def test_the_width_of_an_int_is_part_of_the_key() -> None:
    @mytriton.jit
    def kernel(out, n):
        tl.store(out, n // 2)

    out = torch.zeros(1, dtype=torch.int64)
    for n in (5, 2**40, 7, -(2**40) - 1, 2**31, 2**31 - 1, -(2**31)):
        kernel[1](out, n)
        assert out.item() == int(n / 2)
    assert kernel[1](out, 1) is kernel[1](out, 2**31 - 1)
    assert kernel[1](out, 2**31) is kernel[1](out, 2**63 - 1)
    assert kernel[1](out, 1) is not kernel[1](out, 2**31)


@pytest.mark.parametrize("n", [2**63, -(2**63) - 1, 2**64, 10**30])
def test_ints_beyond_64_bits_are_refused(n: int) -> None:
    @mytriton.jit
    def kernel(out, n):
        tl.store(out, n)

    error = refusal(OverflowError, kernel, torch.zeros(1), n)
    assert str(error) == f"argument 'n': expected an int of 64 bits, got {n}"


@pytest.mark.parametrize(
    "dtype", [torch.complex64, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2]
)
def test_tensors_of_other_types_are_refused(dtype: torch.dtype) -> None:
    expected = ", ".join(str(TORCH[ir]) for ir in TYPES)
    error = refusal(TypeError, bools_kernel, torch.zeros(8).to(dtype), torch.zeros(8))
    assert str(error) == f"argument 'x': expected a tensor of {expected}; got {dtype}"
