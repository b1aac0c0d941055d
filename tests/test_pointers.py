"""Pointer casts, pointers that come from memory, cache hints, and blocks of one constant."""

import pytest
import torch
from engines import both, compiled, every

import mytriton
import mytriton.language as tl

PTR_F32, PTR_I32 = tl.pointer_type(tl.float32), tl.pointer_type(tl.int32)


@mytriton.jit
def table_kernel(table, out, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    row = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    value = tl.load(row + lane, mask=lane < n)
    tl.store(out + tl.program_id(0) * BLOCK + lane, value + tl.sum(value, axis=0))
    tl.store(row + lane, value * 2.0, mask=lane < n)


@pytest.mark.on_host("addresses of the CPU's memory")
@both
def test_rows_by_a_table_of_pointers(engine) -> None:
    rows = [torch.rand(40) for _ in range(5)]
    before = torch.stack(rows)
    table = torch.tensor([row.data_ptr() for row in rows])
    out = torch.zeros(5, 64)
    engine(table_kernel)[5](table, out, 40, BLOCK=64)
    torch.testing.assert_close(out[:, :40], before + before.sum(1, keepdim=True))
    assert torch.equal(torch.stack(rows), before * 2)


@mytriton.jit
def mixed_kernel(table, which, out, BLOCK: tl.constexpr):
    """Each lane follows a pointer of its own; the pointers live across a reduction."""
    lane = tl.arange(0, BLOCK)
    pointers = tl.load(table + tl.load(which + lane)).to(tl.pointer_type(tl.float32))
    value = tl.load(pointers + lane)
    tl.store(out + lane, tl.load(pointers + lane, mask=lane > 2, other=-1.0))
    tl.store(pointers + lane, value - tl.max(value, axis=0))


@pytest.mark.on_host("addresses of the CPU's memory")
@both
def test_a_block_of_pointers(engine) -> None:
    rows = torch.rand(3, 40)
    before, lane = rows.clone(), torch.arange(40)
    which = torch.randint(0, 3, (40,), generator=torch.Generator().manual_seed(2))
    table = torch.tensor([row.data_ptr() for row in rows])
    out = torch.zeros(40)
    engine(mixed_kernel)[1](table, which, out, BLOCK=40)
    chosen = before[which, lane]
    assert torch.equal(out[3:], chosen[3:])
    assert torch.equal(out[:3], torch.full((3,), -1.0))
    expected = before.clone()
    expected[which, lane] = chosen - chosen.max()
    assert torch.equal(rows, expected)


@mytriton.jit
def reinterpret_kernel(x, out, addresses, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    bits = (x + 2).to(tl.pointer_type(tl.int32))
    tl.store(bits + lane, tl.load(bits + lane) ^ (-(2**31)))  # flips the sign
    tl.store(out + lane, tl.load(x + 2 + lane))
    lanes = (x + lane).to(tl.int64)
    tl.store(addresses + lane, lanes - x.to(tl.int64))


@every
def test_memory_of_another_type(engine) -> None:
    x = torch.arange(34, dtype=torch.float32)
    before, out = x.clone(), torch.zeros(32)
    addresses = torch.zeros(32, dtype=torch.int64)
    engine(reinterpret_kernel)[1](x, out, addresses, BLOCK=32)
    assert torch.equal(x[2:], -before[2:])
    assert torch.equal(x[:2], before[:2])
    assert torch.equal(out, -before[2:])
    assert addresses.tolist() == list(range(0, 128, 4))


@mytriton.jit
def same_memory_kernel(x, out, BLOCK: tl.constexpr):
    """What is stored through one type is loaded through another, by other lanes."""
    lane = tl.arange(0, BLOCK)
    tl.store(x + lane, lane + 1.0)
    bits = x.to(tl.pointer_type(tl.int32))
    tl.store(out + lane, tl.load(bits + BLOCK - 1 - lane))


@every
def test_a_cast_pointer_is_the_same_memory(engine) -> None:
    x, out = torch.zeros(50), torch.zeros(50, dtype=torch.int32)
    engine(same_memory_kernel)[1](x, out, BLOCK=50)
    assert torch.equal(out, x.view(torch.int32).flip(0))
    assert torch.equal(x, torch.arange(1.0, 51.0))


def test_a_store_through_a_cast_is_in_the_schema() -> None:
    compiled_kernel = reinterpret_kernel.compile("*fp32", "*fp32", "*i64", BLOCK=32)
    name = str(compiled_kernel.op_name).partition("::")[2]
    schema = str(getattr(torch.ops.mytriton, name).default._schema)
    assert "Tensor(a0!) x" in schema.replace("(a!", "(a0!"), schema


@mytriton.jit
def reused_pointer_kernel(x, index, BLOCK: tl.constexpr):
    """One gathered pointer is read, then written after a reduction."""
    at = x + tl.load(index + tl.arange(0, BLOCK))
    value = tl.load(at)
    tl.store(at, value / tl.sum(value, axis=0))


@every
def test_a_gathered_pointer_lives_across_a_reduction(engine) -> None:
    x = torch.rand(64) + 0.5
    before, index = x.clone(), torch.randperm(64)[:32]
    engine(reused_pointer_kernel)[1](x, index, BLOCK=32)
    torch.testing.assert_close(x[index], before[index] / before[index].sum())


@mytriton.jit
def hints_kernel(x, out, LOAD: tl.constexpr, STORE: tl.constexpr, EVICT: tl.constexpr):
    lane = tl.arange(0, 32)
    value = tl.load(x + lane, cache_modifier=LOAD, eviction_policy=EVICT)
    tl.store(out + lane, value, cache_modifier=STORE, eviction_policy=EVICT)
    tl.load(x, volatile=True)


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.uint8, torch.int64])
@pytest.mark.parametrize("hints", [(".cg", ".wt", ""), (".ca", ".cs", ""), ("", "", "evict_first")])
def test_cache_hints_change_no_value(engine, dtype: torch.dtype, hints: tuple[str, ...]) -> None:
    x, out = torch.arange(32).to(dtype), torch.zeros(32, dtype=dtype)
    load, store, evict = hints
    engine(hints_kernel)[1](x, out, LOAD=load, STORE=store, EVICT=evict)
    assert torch.equal(x, out)


def test_cache_hints_are_in_the_cuda_text() -> None:
    text = hints_kernel.compile("*fp32", "*fp32", LOAD=".cs", STORE=".wb", EVICT="").cuda_src
    assert "__ldcs(&x[v0])" in text
    assert "__stwb(&out[v0]," in text
    assert "*(volatile float*)&x[0]" in text
    text = hints_kernel.compile("*fp32", "*fp32", LOAD="", STORE="", EVICT="evict_last").cuda_src
    assert "ld.global.L1::evict_last.b32" in text


@mytriton.jit
def full_kernel(out, ints, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out + lane, tl.full((BLOCK,), 2.5, tl.float32) + tl.zeros([BLOCK], tl.float32))
    tl.store(
        ints + lane, tl.full([BLOCK], n, tl.int64) + tl.zeros_like(lane) + tl.zeros((), tl.int8)
    )


@every
def test_blocks_of_one_value(engine) -> None:
    out, ints = torch.zeros(33), torch.zeros(33, dtype=torch.int64)
    engine(full_kernel)[1](out, ints, -7, BLOCK=33)
    assert torch.equal(out, torch.full((33,), 2.5))
    assert torch.equal(ints, torch.full((33,), -7))


MISTAKES = [
    (lambda x: tl.load(x, cache_modifier=".wt"), "cache_modifier must be one of '.ca', .*'.wt'"),
    (lambda x: tl.store(x, 1, cache_modifier=".ca"), "cache_modifier must be one of '.wb'"),
    (lambda x: tl.load(x, eviction_policy="never"), "eviction_policy must be one of"),
    (lambda x: x.to(tl.float32), r"cannot cast ptr<f32> to f32"),
    (lambda x: tl.full([4], x, tl.float32), "cannot cast ptr<f32>"),
    (lambda x: tl.full([4], tl.arange(0, 4), tl.float32), "expected a scalar, got vector<4 x"),
    (lambda x: tl.full([0], 1, tl.float32), "a block's sizes are at least 1, got"),
    (lambda x: tl.full([1 << 21], 1, tl.float32), "at most 1048576 lanes"),
    (lambda x: tl.full([x], 1, tl.float32), "a size must be an int known at compile time"),
    (lambda x: tl.load(x).to(PTR_I32), "cannot cast f32 to a pointer"),
]


@pytest.mark.parametrize(("wrong", "message"), MISTAKES)
def test_mistakes(wrong, message: str) -> None:
    @mytriton.jit
    def kernel(x):
        wrong(x)

    with pytest.raises(mytriton.CompileError, match=message):
        compiled(kernel).compile("*fp32")
