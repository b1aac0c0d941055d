"""tl.rand and its like: Triton's numbers for the same seed and offset, on every engine."""

import re
from typing import Any

import numpy as np
import philox_reference as reference
import pytest
import torch
from engines import compiled, evaluated, every
from philox_reference import STREAMS, WIDES

import mytriton
import mytriton.language as tl

OFFSET_TYPES = sorted({each.offset_type for each in STREAMS})
# Of log, sqrt, the cosine and the two products; on GPUs log and cos have 1 and 2 ulp.
NORMAL_ULP = 3.0


def unsigned(values: torch.Tensor) -> np.ndarray:
    return values.numpy().view(f"uint{8 * values.element_size()}")


def store4(pointer, i, values):
    for k, value in enumerate(values):
        tl.store(pointer + i * 4 + k, value)


# --- Triton's numbers ----------------------------------------------------------------------------


@mytriton.jit
def streams_kernel(
    seeds, offsets, ints, uniforms, normals, N: tl.constexpr, ROUNDS: tl.constexpr = 10
):
    i = tl.arange(0, N)
    seed, offset = tl.load(seeds + i), tl.load(offsets + i)
    store4(ints, i, tl.randint4x(seed, offset, ROUNDS))
    store4(uniforms, i, tl.rand4x(seed, offset, ROUNDS))
    store4(normals, i, tl.randn4x(seed, offset, n_rounds=ROUNDS))


@mytriton.jit
def first_kernel(seeds, offsets, ints, uniforms, normals, N: tl.constexpr):
    i = tl.arange(0, N)
    seed, offset = tl.load(seeds + i), tl.load(offsets + i)
    tl.store(ints + i, tl.randint(seed, offset))
    tl.store(uniforms + i, tl.rand(seed, offset))
    tl.store(normals + i, tl.randn(seed, offset))


def outputs(*shape: int) -> list[torch.Tensor]:
    return [torch.zeros(shape, dtype=each) for each in (torch.uint32, torch.float32, torch.float32)]


def run_streams(lines: list[reference.Stream], engine: Any, kernel: Any, *shape: int) -> list[Any]:
    """Runs the kernel on all lines at once; the seeds as uint64."""
    seeds = torch.tensor([each.seed % 2**64 for each in lines], dtype=torch.uint64)
    dtype = getattr(torch, lines[0].offset_type)
    offsets = torch.tensor([each.offset for each in lines], dtype=dtype)
    results = outputs(len(lines), *shape)
    rounds = {} if kernel is first_kernel else {"ROUNDS": lines[0].rounds}
    engine(kernel)[1](seeds, offsets, *results, N=len(lines), **rounds)
    return results


def assert_normal(values: torch.Tensor, words: np.ndarray) -> None:
    """`values` are what Box and Muller make of the uniform floats of words, four at a time."""
    u = reference.uniform(words)
    pairs = [reference.normal(u[:, k], u[:, k + 1]) for k in (0, 2)]
    expected = np.concatenate(pairs).T[:, : values[0].numel()]
    assert reference.ulps_off(values.numpy().reshape(expected.shape), expected) <= NORMAL_ULP


@every
@pytest.mark.parametrize(
    ("offset_type", "rounds"), [*((each, 10) for each in OFFSET_TYPES), ("int64", 7), ("int64", 1)]
)
def test_four_at_a_time(offset_type: str, rounds: int, engine: Any) -> None:
    lines = [each for each in STREAMS if (each.offset_type, each.rounds) == (offset_type, rounds)]
    ints, uniforms, normals = run_streams(lines, engine, streams_kernel, 4)
    words = np.array([each.ints for each in lines], dtype=np.uint32)
    assert np.array_equal(unsigned(ints), words)
    assert np.array_equal(unsigned(uniforms), np.array([each.uniforms for each in lines]))
    assert_normal(normals, words)


@every
def test_one_at_a_time(engine: Any) -> None:
    lines = [each for each in STREAMS if (each.offset_type, each.rounds) == ("int64", 10)]
    ints, uniforms, normals = run_streams(lines, engine, first_kernel)
    words = np.array([each.ints for each in lines], dtype=np.uint32)
    assert np.array_equal(unsigned(ints), words[:, 0])
    assert np.array_equal(unsigned(uniforms), np.array([each.uniforms[0] for each in lines]))
    assert_normal(normals, words)


def test_normals_are_alike_on_the_cpu() -> None:
    lines = [each for each in STREAMS if (each.offset_type, each.rounds) == ("int64", 10)]
    both = [run_streams(lines, each, streams_kernel, 4) for each in (compiled, evaluated)]
    for got, expected in zip(*both, strict=True):
        assert np.array_equal(unsigned(got), unsigned(expected))


@mytriton.jit
def wide_kernel(seeds, counters, words, uniforms, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    counter = [tl.load(counters + i * 4 + k) for k in range(4)]
    found = tl.philox(tl.load(seeds + i), *counter, n_rounds=ROUNDS)
    store4(words, i, found)
    tl.store(uniforms + i, tl.uint_to_uniform_float(found[0]))


@every
@pytest.mark.parametrize("rounds", sorted({each.rounds for each in WIDES}))
def test_philox_of_64_bits(rounds: int, engine: Any) -> None:
    lines = [each for each in WIDES if each.rounds == rounds]
    seeds = torch.tensor([each.seed for each in lines], dtype=torch.uint64)
    counters = torch.tensor([each.counter for each in lines], dtype=torch.uint64)
    words, uniforms = torch.zeros_like(counters), torch.zeros(len(lines))
    engine(wide_kernel)[1](seeds, counters, words, uniforms, len(lines), rounds)
    assert words.tolist() == [each.words for each in lines]
    assert unsigned(uniforms).tolist() == [each.uniform for each in lines]


# --- an independent reference --------------------------------------------------------------------


def test_reference_agrees_with_the_authors_and_with_triton() -> None:
    # kat_vectors of Random123, the authors' library.
    ones, digits_of_pi = (2**32 - 1,) * 4, (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    published = [
        ((0, 0), (0, 0, 0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (ones[:2], ones, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ((0xA4093822, 0x299F31D0), digits_of_pi, "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ]
    for key, counter, words in published:
        assert reference.philox(key, counter, 10, 32) == [int(each, 16) for each in words.split()]
    words_of_zeros = "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"
    zeros = reference.philox((0, 0), (0,) * 4, 10, 64)
    assert zeros == [int(each, 16) for each in words_of_zeros.split()]
    for line in STREAMS:
        bits = int(line.offset_type.lstrip("uint"))
        assert reference.stream(line.seed, line.offset, bits, line.rounds) == line.ints
        assert reference.uniform(line.ints).view(np.uint32).tolist() == line.uniforms
    words = np.array([each.ints for each in STREAMS])
    normals = np.array([each.normals for each in STREAMS], dtype=np.uint32).view(np.float32)
    u = reference.uniform(words)
    for k in (0, 2):
        expected = reference.normal(u[:, k], u[:, k + 1]).T
        assert reference.ulps_off(normals[:, k : k + 2], expected) <= 4  # by NumPy's log and cos
    for each in WIDES:
        assert reference.philox((each.seed, 0), each.counter, each.rounds, 64) == each.words


@mytriton.jit
def impl_kernel(counters, keys, out, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    counter = [tl.load(counters + i * 4 + k) for k in range(4)]
    key = [tl.load(keys + i * 2 + k) for k in range(2)]
    store4(out, i, tl.philox_impl(*counter, *key, ROUNDS))


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("rounds", [0, 3])
def test_philox_impl(bits: int, rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    counters = rng.integers(0, 2**bits, (100, 4), dtype=f"uint{bits}")
    keys = rng.integers(0, 2**bits, (100, 2), dtype=f"uint{bits}")
    given = torch.from_numpy(counters), torch.from_numpy(keys)
    out = torch.zeros_like(given[0])
    impl_kernel[1](*given, out, N=100, ROUNDS=rounds)
    pairs = zip(keys.tolist(), counters.tolist(), strict=True)
    assert out.tolist() == [reference.philox(*each, rounds, bits) for each in pairs]


# --- seeds and offsets ---------------------------------------------------------------------------


@mytriton.jit
def seed_kernel(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.randint(seed, i))


@mytriton.jit
def constant_seed_kernel(out, SEED: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.randint(SEED, i))


@every
@pytest.mark.parametrize("seed", [0, -5, 2**31 - 1, 2**31, -(2**63), 2**63 - 1])
def test_seeds_as_arguments_and_constants(seed: int, engine: Any) -> None:
    expected = [reference.stream(seed, i)[0] for i in range(16)]
    for kernel in (seed_kernel, constant_seed_kernel):
        out = torch.zeros(16, dtype=torch.uint32)
        engine(kernel)[1](out, seed, N=16)
        assert out.tolist() == expected


@pytest.mark.parametrize("seed", [True, 2**63, 2**64 - 1])
def test_constant_seeds_beyond_arguments(seed: int) -> None:
    out = torch.zeros(16, dtype=torch.uint32)
    constant_seed_kernel[1](out, seed, N=16)
    assert out.tolist() == [reference.stream(seed, i)[0] for i in range(16)]


@mytriton.jit
def scalar_kernel(out, uniforms, seed, offset):
    tl.store(out, tl.randint(seed, offset))
    tl.store(out + 1, tl.randint(seed, 2**32 + 7))
    a, b, c, d = tl.philox(seed, offset, 0, 0, 0)
    tl.store(out + 2, a ^ b ^ c ^ d)
    tl.store(uniforms, tl.rand(seed, offset))


@every
def test_scalar_offsets(engine: Any) -> None:
    out, uniforms = torch.zeros(3, dtype=torch.uint32), torch.zeros(1)
    engine(scalar_kernel)[1](out, uniforms, 11, -3)
    words = reference.stream(11, -3)
    all_bits = int(np.bitwise_xor.reduce(np.array(words)))
    assert out.tolist() == [words[0], reference.stream(11, 2**32 + 7, 64)[0], all_bits]
    assert uniforms.item() == reference.uniform(words)[0]


@mytriton.jit
def dropout_kernel(out, seed, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.rand(seed, offsets), mask=offsets < n)


def test_numbers_do_not_depend_on_blocks() -> None:
    n = 70_000
    results = []
    for block in (64, 1000):
        out = torch.zeros(n)
        dropout_kernel[mytriton.cdiv(n, block)](out, 2024, n, BLOCK=block)
        results.append(out)
    assert torch.equal(*results)
    uniform = results[0].double()
    assert 0 <= uniform.min() < 1e-4 and 1 - 1e-4 < uniform.max() < 1
    # Five standard deviations of the mean, and of the mean square.
    assert abs(uniform.mean() - 1 / 2) < 5 * (1 / 12 / n) ** 0.5
    assert abs(uniform.square().mean() - 1 / 3) < 5 * (4 / 45 / n) ** 0.5


# --- from bits to floats -------------------------------------------------------------------------


@mytriton.jit
def uniform_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.uint_to_uniform_float(tl.load(x + i)))


@every
@pytest.mark.parametrize("dtype", [torch.int32, torch.uint32, torch.int64, torch.uint64])
def test_uint_to_uniform_float(dtype: torch.dtype, engine: Any) -> None:
    bits = 8 * dtype.itemsize
    middle = 2 ** (bits - 1)
    near = [0, 2**24, middle - 2 ** (bits - 25), middle, middle + 2**24, 2**bits - 2**7, 2**bits]
    words = sorted({(each + d) % 2**bits for each in near for d in (-2, -1, 0, 1)})
    x = torch.tensor(words, dtype=getattr(torch, f"uint{bits}")).view(dtype)
    out = torch.zeros(len(words))
    engine(uniform_kernel)[1](x, out, len(words))
    expected = reference.uniform(words, bits)
    assert np.array_equal(unsigned(out), expected.view(np.uint32))
    assert out.min() >= 0 and out.max() < 1


@mytriton.jit
def pair_kernel(u1, u2, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.pair_uniform_to_normal(tl.load(u1 + i), tl.load(u2 + i))
    tl.store(out + i * 2, a)
    tl.store(out + i * 2 + 1, b)


@every
def test_pair_uniform_to_normal(engine: Any) -> None:
    below_one = np.nextafter(np.float32(1), np.float32(0))
    edges = np.array([0, 1e-30, 1e-7, 2e-7, 0.25, 0.5, 0.75, below_one], dtype=np.float32)
    u1, u2 = (torch.from_numpy(each.ravel()) for each in np.meshgrid(edges, edges))
    out = torch.zeros(len(u1), 2)
    engine(pair_kernel)[1](u1, u2, out, len(u1))
    expected = reference.normal(u1.numpy(), u2.numpy()).T
    assert reference.ulps_off(out.numpy(), expected) <= NORMAL_ULP


# --- what is refused -----------------------------------------------------------------------------

REFUSED = [
    (lambda x, i: tl.rand(1.5, i), "rand: seed must be an int, got fp32"),
    (lambda x, i: tl.randint(x, i), "randint: seed must be an int, got pointer<fp32>"),
    (lambda x, i: tl.randn(1, i * 1.0), "randn: offset must be an int, got fp32"),
    (lambda x, i: tl.randint4x("one", i), "to_tensor: expected a traced value or a Python number"),
    (
        lambda x, i: tl.rand(1, i, i),
        "rand: n_rounds must be an int known at compile time, got <",
    ),
    (lambda x, i: tl.rand4x(1, i, -1), "rand4x: n_rounds must be 0 to 1000, got -1"),
    (lambda x, i: tl.randn4x(1, i, 10**9), "randn4x: n_rounds must be 0 to 1000, got 1000000000"),
    (
        lambda x, i: tl.rand(1, i, True),
        "rand: n_rounds must be an int known at compile time, got b",
    ),
    (lambda x, i: tl.rand(i, tl.arange(0, 16)), "incompatible shapes"),
    (lambda x, i: tl.philox(1, i.to(tl.int16), i, i, i), "philox: c0 must have 32 or 64 bits"),
    (lambda x, i: tl.philox(1, i, i.to(tl.int64), i, i), "bitcast"),
    (lambda x, i: tl.philox_impl(i, i, i, i, i, i), "philox_impl: c0 must be a uint32 or a uint64"),
    (
        lambda x, i: tl.philox_impl(i.to(tl.uint32), *[i.to(tl.uint64)] * 5),
        "philox_impl: c1 is uint64, but c0 is uint32",
    ),
    (
        lambda x, i: tl.uint_to_uniform_float(i.to(tl.int16)),
        "uint_to_uniform_float: expected ints of 32 or 64 bits, got int16",
    ),
    (lambda x, i: tl.uint_to_uniform_float(3), "expected ints of 32 or 64 bits, got int$"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_refused(make: Any, message: str) -> None:
    @mytriton.jit
    def kernel(x):
        make(x, tl.arange(0, 8))

    with pytest.raises(mytriton.CompileError) as caught:
        kernel.compile("*fp32")
    assert re.search(message, caught.value.message), caught.value.message
    assert caught.value.place is not None and caught.value.place[0] == __file__
