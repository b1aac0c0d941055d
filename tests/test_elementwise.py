"""@mytriton.elementwise: shapes, strides and dtypes are those of torch's pointwise ops."""

import math

import pytest
import torch

import mytriton
import mytriton.language as tl
from mytriton.elementwise.promotion import common_dtype, kind_of_input
from mytriton.jit import JITFunction

SHIFT = 1.5


@mytriton.elementwise
def swiglu(a, b):
    """a * sigmoid(a) * b"""
    return a * tl.sigmoid(a) * b


@mytriton.elementwise
def add(a, b):
    return a + b


@mytriton.elementwise
def add3(a, b, c):
    return a + b + c


@mytriton.elementwise
def below(a, b):
    return a < b


@mytriton.elementwise
def shifted(a):
    return a + SHIFT


@mytriton.elementwise
def scaled(x, scale: float = 2.0):
    return x * scale


@mytriton.elementwise
def powers(x, N: tl.constexpr = 2):
    result = x
    for _ in tl.static_range(N - 1):
        result = result * x
    return result


@mytriton.elementwise
def parts(x, y):
    return tl.minimum(x, y), tl.maximum(x, y), x > y


def same(made: torch.Tensor, expected: torch.Tensor, tolerance: float = 0.0) -> None:
    assert (made.dtype, made.stride()) == (expected.dtype, expected.stride())
    torch.testing.assert_close(made, expected, rtol=tolerance, atol=0, equal_nan=True)


X, Y = torch.randn(2, 37, 50).unbind()
IMAGES = torch.randn(2, 8, 5, 6)
LAYOUTS = {
    "contiguous": (X, Y),
    "transposed": (X.t(), Y.t()),
    "one transposed": (X, Y.reshape(50, 37).t()),
    "sliced": (X[:, ::2], Y[:, 1::2]),
    "rows of a slice": (X[3:30, 5:49], Y[4:31, :44]),
    "a row": (X, Y[0]),
    "a column": (X, Y[:, :1]),
    "row and column": (X[0], Y[:, :1]),
    "expanded": (X[:1].expand(37, 50), Y),
    "both expanded": (X[:1].expand(37, 50), Y[:, :1].expand(37, 50)),
    "short rows": (X[:, :3], Y[:, :3]),
    "short rows and a column": (X[:, :7], Y[:, :1]),
    "channels_last": (IMAGES.to(memory_format=torch.channels_last),) * 2,
    "channels_last and channels": (
        IMAGES.to(memory_format=torch.channels_last),
        IMAGES[:1, :, :1, :1],
    ),
    "contiguous and channels_last": (IMAGES, IMAGES.to(memory_format=torch.channels_last)),
    "seven dimensions": (
        torch.randn(2, 3, 4, 3, 2, 3, 5)[:, :, ::2].permute(5, 0, 3, 1, 2, 4, 6),
        torch.randn(2, 1, 5),
    ),
    "no dimensions": (torch.tensor(2.0), torch.tensor(3.0)),
    "one without dimensions": (X, torch.tensor(3.0)),
    "empty": (torch.randn(0, 3), torch.randn(3)),
    "empty inside": (torch.randn(2, 0, 3).transpose(0, 2), torch.randn(1)),
    "one element": (torch.randn(1, 1, 1), torch.randn(1)),
    "many": (torch.randn(5000), torch.randn(5000)),
    "many of a stride": (torch.randn(5000, 3)[:, 1], torch.randn(5000)),
    "long rows": (torch.randn(3, 3000)[:, 5:], torch.randn(2995)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_and_strides_are_those_of_eager(layout: str) -> None:
    a, b = LAYOUTS[layout]
    if layout == "empty inside":  # of which torch's own reference gives other strides
        assert add(a, b).shape == (a + b).shape
        return
    same(add(a, b), a + b)
    same(below(b, a), b < a)
    same(swiglu(a, b), a * torch.sigmoid(a) * b, 1e-6)


def test_three_inputs() -> None:
    a, b, c = torch.randn(4, 1, 6), torch.randn(5, 1), torch.randn(4, 5, 6).permute(0, 1, 2)
    same(add3(a, b, c), a + b + c)


def test_indices_beyond_32_bits() -> None:
    """Few elements, far apart: what lies between is never touched, so it takes no memory."""
    memory = torch.empty(2**31 + 64, dtype=torch.int8)
    far = memory[:: 2**30 + 16]
    far.copy_(torch.tensor([1, 2, 3]))
    same(add(far, far), torch.tensor([2, 4, 6], dtype=torch.int8))
    rows = memory.as_strided((3, 3), (2**30 + 16, 1))
    rows[:, 1:] = 5
    same(add(rows, rows[:, :1]), rows + rows[:, :1])
    long_rows = memory.as_strided((3, 40), (2**30 + 4, 1))
    long_rows.copy_(torch.arange(120).reshape(3, 40))
    same(add(long_rows, long_rows[:, :1]), long_rows + long_rows[:, :1])


# --- dtypes --------------------------------------------------------------------------------------

DTYPES = (torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64)
DTYPES += (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def test_promotion_is_that_of_torch() -> None:
    values = [torch.ones(shape, dtype=dtype) for dtype in DTYPES for shape in ((), (2,))]
    values += [True, 3, 2.5]
    for a in values:
        for b in values:
            found = common_dtype([kind_of_input(a), kind_of_input(b)])
            assert found == torch.result_type(a, b), (a, b)
    # Numbers and tensors without dimensions count together, below those with.
    mixed = [torch.ones(2, dtype=torch.int32), torch.tensor(1.0, dtype=torch.float64), 2.5]
    assert common_dtype(list(map(kind_of_input, mixed))) == torch.float64


@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.parametrize("second", DTYPES)
def test_results_of_mixed_dtypes(first: torch.dtype, second: torch.dtype) -> None:
    a, b = (4 * torch.rand(2, 40)).unbind()
    a, b = a.to(first), b.to(second)
    if torch.bool in (first, second) and first == second:
        same(below(a, b), a < b)
    else:
        same(add(a, b), a + b)


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64])
def test_unsigned_dtypes(dtype: torch.dtype) -> None:
    a = torch.arange(20).to(dtype)
    assert torch.equal(add(a, a).to(torch.int64), torch.arange(20) * 2)


@mytriton.elementwise
def rounded(a, b):
    return (a * b).to(tl.float32).to(a.dtype) + a


@mytriton.elementwise
def bits(a):
    return (a * 3.0).to(tl.int16, bitcast=True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves_are_computed_in_float32(dtype: torch.dtype) -> None:
    a, b = torch.randn(2, 1000, dtype=dtype).unbind()
    c, d = a.float(), b.float()
    same(add3(a, b, a), (c + d + c).to(dtype))
    same(scaled(a, 0.1), (c * 0.1).to(dtype))
    same(rounded(a, b), ((c * d).to(dtype).float() + c).to(dtype))
    same(bits(a), (a * 3).view(torch.int16))
    assert str(add3.compile(a, b, a).ssa_ops).count(" = cast ") == 4  # one of them rounds


def test_the_kernel_of_a_call() -> None:
    compiled = swiglu.compile(X, Y)
    assert "exp" in compiled.cuda_src and compiled is swiglu.compile(X + 1, Y)
    assert compiled is not swiglu.compile(X.t(), Y.reshape(50, 37))
    with pytest.raises(ValueError, match="swiglu: tensors without elements run no kernel"):
        swiglu.compile(X[:0], Y[:0])
    with pytest.raises(TypeError, match="argument 'b': expected a tensor or a number"):
        swiglu.compile(X, "Y")


def test_numbers() -> None:
    same(scaled(X), X * 2)
    same(scaled(X, 3), X * 3)
    same(scaled(X.double(), 0.1), X.double() * 0.1)
    same(scaled(X.double(), scale=-math.inf), X.double() * -math.inf)
    ints = torch.arange(5)
    same(scaled(ints, 3), ints * 3)
    same(scaled(ints, 0.5), ints * 0.5)
    same(scaled(ints, 2**40), ints * 2**40)
    same(scaled(ints > 2, True), (ints > 2) * True)
    same(add(2.5, X), 2.5 + X)
    same(scaled(X, torch.tensor(2.0)), X * 2)


def test_a_new_number_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scaled(X, 1.25)
    monkeypatch.setattr(JITFunction, "_compile", None)
    for i in range(5):
        same(scaled(X, 1.25 + i), X * (1.25 + i))


def test_constexpr_options() -> None:
    same(powers(X, N=3), X * X * X)
    same(powers(X, 1), X)
    same(powers(X), X * X)


def test_several_outputs() -> None:
    low, high, greater = parts(X, Y.reshape(50, 37).t())
    other = Y.reshape(50, 37).t()
    same(low, torch.minimum(X, other))
    same(high, torch.maximum(X, other))
    same(greater, torch.gt(X, other))


def test_a_constant_has_the_dtype_computed_in() -> None:
    @mytriton.elementwise
    def one_and_all(x):
        return 1, x, 2.5

    one, x, most = one_and_all(X.half())
    assert one.dtype == most.dtype == torch.half and one.shape == X.shape
    assert torch.equal(x, X.half()) and one[3, 4] == 1 and most[0, 0] == 2.5


def test_what_the_function_reads_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    same(shifted(X), X + 1.5)
    monkeypatch.setitem(globals(), "SHIFT", 2.5)
    same(shifted(X), X + 2.5)


def test_inside_kernels_and_other_functions() -> None:
    @mytriton.elementwise
    def twice(a, b):
        return 2 * swiglu(a, b)

    @mytriton.jit
    def kernel(x, out, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        a = tl.load(x + at)
        tl.store(out + at, swiglu(a, b=a))

    same(twice(X, Y), 2 * swiglu(X, Y))
    x, out = torch.randn(64), torch.empty(64)
    kernel[(1,)](x, out, BLOCK=64)
    same(out, swiglu(x, x))


# --- out= ----------------------------------------------------------------------------------------


def test_out() -> None:
    out = torch.empty(50, 37).t()
    assert add(X, Y, out=out) is out
    assert torch.equal(out, X + Y) and out.stride() == (1, 37)
    x = X.clone()
    assert add(x, Y, out=x) is x
    assert torch.equal(x, X + Y) and x._version == 1
    doubles = torch.empty(37, 50, dtype=torch.float64)
    add(X, Y, out=doubles)
    assert torch.equal(doubles, (X + Y).double())


def test_out_of_several_outputs() -> None:
    outs = (torch.empty(37, 50), torch.empty(50, 37).t(), torch.empty(37, 50, dtype=torch.bool))
    assert parts(X, Y, out=outs) is not None
    for made, expected in zip(outs, parts(X, Y), strict=True):
        assert torch.equal(made, expected)


def test_out_that_shares_memory_with_inputs() -> None:
    base = torch.arange(20.0)
    expected = base[:-1] + base[:-1]
    add(base[:-1], base[:-1], out=base[1:])
    assert torch.equal(base[1:], expected)
    square = torch.randn(6, 6)
    expected = square + square.t()
    add(square, square.t(), out=square)
    assert torch.equal(square, expected)
    with pytest.raises(RuntimeError, match="single memory location"):
        add(X, Y, out=torch.empty(1, 50).expand(37, 50))


def test_out_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"add: out: .* shape \(37, 50\), got one of \(50,\)"):
        add(X, Y, out=torch.empty(50))
    with pytest.raises(TypeError, match=r"float32 cannot be stored as torch.int32"):
        add(X, Y, out=torch.empty(37, 50, dtype=torch.int32))
    with pytest.raises(TypeError, match="out: expected a tensor, got str"):
        add(X, Y, out="here")
    with pytest.raises(TypeError, match="out: expected a tuple of 3 tensors"):
        parts(X, Y, out=X)
    with pytest.raises(RuntimeError, match="not differentiable"):
        add(X, Y.clone().requires_grad_(), out=torch.empty(37, 50))


# --- what a function is --------------------------------------------------------------------------


def test_the_function_keeps_its_name_and_text() -> None:
    assert swiglu.__name__ == "swiglu" and swiglu.__doc__ == "a * sigmoid(a) * b"
    assert repr(swiglu) == "<mytriton.elementwise swiglu>"


def test_lambdas_and_jit_functions() -> None:
    doubled = mytriton.elementwise(lambda x: x + x)
    same(doubled(X), X + X)

    @mytriton.jit
    def tripled(x):
        return x + x + x

    same(mytriton.elementwise(tripled)(X), X + X + X)
