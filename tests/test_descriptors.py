"""Tensor descriptors: made in kernels, and as arguments."""

from typing import Any

import pytest
import torch
from engines import assert_same_bits, both, every
from refusals import mistake, refusal

import mytriton
import mytriton.language as tl
from mytriton.tools.tensor_descriptor import TensorDescriptor


def window(x: torch.Tensor, first: int, second: int, sizes: tuple[int, int], fill: float) -> Any:
    out = torch.full(sizes, fill, dtype=x.dtype)
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            if 0 <= first + i < x.shape[0] and 0 <= second + j < x.shape[1]:
                out[i, j] = x[first + i, second + j]
    return out


# --- made in kernels -----------------------------------------------------------------------------


@mytriton.jit
def move_kernel(x, out, M, N, first, second, BM: tl.constexpr, BN: tl.constexpr, PAD: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN], padding_option=PAD)
    target = tl.make_tensor_descriptor(out, (BM, BN - 1), (BN, 1), (BM, BN))
    tl.static_assert(source.block_shape == [BM, BN] and source.dtype == x.dtype.element_ty)
    target.store([0, 0], source.load([first, second]))


@both
@pytest.mark.parametrize("first, second", [(0, 0), (2, 3), (-3, -1), (6, 9), (100, -100)])
@pytest.mark.parametrize("padding, fill", [("zero", 0.0), ("nan", float("nan"))])
def test_windows(engine: Any, first: int, second: int, padding: str, fill: float) -> None:
    x, out = torch.randn(9, 11), torch.full((8, 4), 7.0)
    engine(move_kernel)[1](x, out, 9, 11, first, second, BM=8, BN=4, PAD=padding)
    assert_same_bits(out[:, :3], window(x, first, second, (8, 3), fill))
    assert (out[:, 3] == 7.0).all()


@mytriton.jit
def vector_kernel(x, out, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n], [1], [B])
    target = tl.make_tensor_descriptor(out, [n], [1], [B])
    for start in range(tl.program_id(0) * B, n, 2 * B):
        value = tl.load_tensor_descriptor(source, [start])
        tl.store_tensor_descriptor(target, [start], value * 2)
        target.store([start + n], 5.0)


@every
def test_loops(engine: Any) -> None:
    x, out = torch.randn(75), torch.zeros(90)
    engine(vector_kernel)[2](x, out, 75, B=16)
    assert torch.equal(out[:75], x * 2)
    assert (out[75:] == 0).all()


@mytriton.jit
def atomics_kernel(x, out, n, B: tl.constexpr):
    value = tl.load(x + tl.arange(0, B))
    target = tl.make_tensor_descriptor(out, [6, n], [B, 1], [1, B])
    for i, each in enumerate(("add", "min", "max", "and", "or", "xor")):
        getattr(target, "atomic_" + each)([i, 0], value[None, :])


@both
def test_atomics(engine: Any) -> None:
    x = torch.randint(-1000, 1000, (8,), dtype=torch.int32)
    before = torch.randint(-1000, 1000, (6, 8), dtype=torch.int32)
    out = before.clone()
    engine(atomics_kernel)[1](x, out, 7, B=8)
    operators = (torch.add, torch.minimum, torch.maximum,
                 torch.bitwise_and, torch.bitwise_or, torch.bitwise_xor)  # fmt: skip
    expected = torch.stack([each(row, x) for each, row in zip(operators, before, strict=True)])
    expected[:, 7] = before[:, 7]
    assert torch.equal(out, expected)


@mytriton.jit
def rows_kernel(x, out, rows, M, N, first, C: tl.constexpr):
    which = tl.load(rows + tl.arange(0, 8))
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, C])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, C])
    target.scatter(source.gather(which, first) + 1.0, which, first)


@both
def test_rows(engine: Any) -> None:
    x, out = torch.randn(9, 11), torch.zeros(9, 11)
    rows = torch.tensor([3, -1, 0, 8, 9, 100, 5, 4])
    engine(rows_kernel)[1](x, out, rows, 9, 11, 9, C=4)
    expected = torch.zeros(9, 11)
    inside = [3, 0, 8, 5, 4]
    expected[inside, 9:] = x[inside, 9:] + 1
    assert torch.equal(out, expected)


# --- arguments -----------------------------------------------------------------------------------


@mytriton.jit
def add_kernel(a, b_size_0, b, flag, out, SCALE: tl.constexpr = 1):
    tl.static_assert(isinstance(a, tl.tensor_descriptor) and flag is None)
    BM: tl.constexpr = a.block_shape[0]
    BN: tl.constexpr = a.block_shape[1]
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = a.load([i, j]) + b.load([i, j]) * SCALE + b_size_0
    out.store([i, j], total)


def added(a: torch.Tensor, b: torch.Tensor, block: list[int], engine: Any) -> torch.Tensor:
    out = torch.zeros_like(a)
    grid = [mytriton.cdiv(n, size) for n, size in zip(a.shape, block, strict=True)]
    given = [TensorDescriptor.from_tensor(each, block) for each in (a, b, out)]
    engine(add_kernel)[tuple(grid)](given[0], 3, given[1], None, out=given[2], SCALE=2)
    return out


@both
def test_arguments(engine: Any) -> None:
    for dtype in (torch.float32, torch.int32):
        a, b = (torch.randint(-99, 99, (19, 23)).to(dtype) for _ in range(2))
        for block in ([8, 16], [16, 4], [16, 4]):
            assert torch.equal(added(a, b, block, engine), a + 2 * b + 3)
        b = torch.randint(-99, 99, (40, 50)).to(dtype)[3:22, 7:30]
        assert torch.equal(added(a, b, [8, 8], engine), a + 2 * b + 3)


def test_attributes_may_be_assigned_to() -> None:
    x, out = torch.randn(16, 16), torch.zeros(16, 16)
    given = [TensorDescriptor.from_tensor(each, [1, 1]) for each in (x, x, out)]
    for each in given:
        each.block_shape = [8, 16]
    sizes = []

    def grid(meta: dict[str, Any]) -> tuple[int, ...]:
        sizes.append(meta["a"].block_shape)
        return (2,)

    compiled = add_kernel[grid](given[0], 0, given[1], None, given[2])
    assert torch.equal(out, 2 * x) and sizes == [[8, 16]]
    assert "a_size_0: i64" in str(compiled.asm["ssa"])
    assert "b_size_0_: i64" in str(compiled.asm["ssa"])  # beside the parameter b_size_0
    with pytest.raises(ValueError, match="argument 'a': block_shape: expected 2, one an axis; got"):
        given[0].block_shape = [8]
        add_kernel[grid](given[0], 0, given[1], None, given[2])


def test_padding_of_arguments() -> None:
    @mytriton.jit
    def kernel(x, out):
        tl.store(out + tl.arange(0, 8), x.load([4]))

    x, out = torch.arange(6.0), torch.zeros(8)
    for padding, fill in (("zero", 0.0), ("nan", float("nan"))):
        kernel[1](TensorDescriptor(x, [6], [1], [8], padding), out)
        assert_same_bits(out, torch.tensor([4.0, 5.0] + [fill] * 6))


def test_arguments_in_torch_compile() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        given = [TensorDescriptor.from_tensor(each, [8, 8]) for each in (x, x, out)]
        add_kernel[(2, 2)](given[0], 1, given[1], None, given[2])
        return out + 1

    x = torch.randn(16, 16)
    assert torch.equal(torch.compile(run, backend="eager", fullgraph=True)(x), 2 * x + 1 + 1)


def test_wrong_arguments() -> None:
    x = torch.zeros(4, 4)
    wrong = [
        (TypeError, (3, [4], [1], [4]), "base: expected a tensor, got int"),
        (ValueError, (x, [], [], []), "shape: expected 1 to 5 sizes, got 0"),
        (ValueError, (x, [4, 4], [1], [4, 4]), "strides: expected 2, one an axis; got 1"),
        (ValueError, (x, [4, 4], [4, 1], [4]), "block_shape: expected 2, one an axis; got 1"),
        (ValueError, (x, [4, 4], [1, 4], [4, 4]), "strides: expected 1 as the last, got 4"),
        (ValueError, (x, [4, 4], [4, 1], [4, 0]), "block_shape: expected positive ints, got 0"),
        (ValueError, (x, [4], [1], [4], "one"), "padding: expected 'zero' or 'nan', got 'one'"),
        (ValueError, (x.int(), [4], [1], [4], "nan"), "padding 'nan' is for floats, got torch.int"),
    ]
    for error, given, message in wrong:
        with pytest.raises(error, match=message):
            TensorDescriptor(*given)
    given = TensorDescriptor.from_tensor(x, [4, 4])
    rest = (0, given, None, given)
    error = refusal(TypeError, add_kernel, TensorDescriptor.from_tensor(x + 0j, [4, 4]), *rest)
    assert "argument 'a.base': expected a tensor of" in str(error)
    meta = TensorDescriptor.from_tensor(torch.zeros(4, 4, device="meta"), [4, 4])
    assert "on meta" in str(refusal(TypeError, add_kernel, meta, *rest))


def test_allocators_are_accepted() -> None:
    mytriton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8))
    with pytest.raises(TypeError, match="set_allocator: expected a function, got int"):
        mytriton.set_allocator(3)  # type: ignore[arg-type]


# --- errors in kernels ---------------------------------------------------------------------------


def last_stride(x, n):
    tl.make_tensor_descriptor(x, [n, n], [n, 2], [4, 4])  # wrong


def no_padding(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [4], "one")  # wrong


def nan_of_ints(x, n):
    tl.make_tensor_descriptor(x.to(tl.pointer_type(tl.int32)), [n], [1], [4], "nan")  # wrong


def too_few_offsets(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [4, 4])
    d.load([n])  # wrong


def one_offset(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [4])
    d.load(n)  # wrong


def stored_shape(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [4])
    d.store([0], tl.arange(0, 8))  # wrong


def added_shape(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [4])
    d.atomic_add([0], tl.arange(0, 8))  # wrong


def and_of_floats(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [4])
    d.atomic_and([0], 1)  # wrong


def rows_of_blocks(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [4, 4])
    d.gather(tl.arange(0, 4), 0)  # wrong


def rows_by_scalar(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [1, 4])
    d.gather(n, 0)  # wrong


def no_descriptor(x, n):
    tl.load_tensor_descriptor(x, [0])  # wrong


def no_descriptor_to_store(x, n):
    tl.store_tensor_descriptor(n, [0], 0.0)  # wrong


ERRORS = [
    (last_stride, "make_tensor_descriptor: strides: expected 1 as the last, got 2"),
    (no_padding, "padding_option must be one of '', 'zero', 'nan'; got 'one'"),
    (nan_of_ints, "padding_option 'nan' is for floats, got elements of int32"),
    (too_few_offsets, "descriptor.load: offsets: expected 2 values, one an axis; got 1"),
    (one_offset, "descriptor.load: offsets: expected a list or tuple, one value an axis; got <tra"),
    (stored_shape, "descriptor.store: value: expected a block of shape (4,), got <traced vector<8"),
    (added_shape, "descriptor.atomic_add: value: expected a block of shape (4,), got <traced"),
    (and_of_floats, "atomic_and"),
    (rows_of_blocks, "descriptor.gather: expected a descriptor whose blocks are one row, [1, n]"),
    (rows_by_scalar, "x_offsets: expected a block of ints of rank 1, got <traced i32>"),
    (no_descriptor, "load_tensor_descriptor: desc: expected a tensor descriptor, got <traced ptr"),
    (no_descriptor_to_store, "store_tensor_descriptor: desc: expected a tensor descriptor, got <t"),
]


@pytest.mark.parametrize("fn, message", ERRORS, ids=[fn.__name__ for fn, _ in ERRORS])
def test_mistakes(fn: Any, message: str) -> None:
    assert message in mistake(fn, torch.arange(8.0), 3)
