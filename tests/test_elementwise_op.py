"""@mytriton.elementwise functions as torch ops: opcheck, torch.compile, vmap, modes."""

import copy
import pickle
import threading

import pytest
import torch
from torch.testing._internal.two_tensor import TwoTensor

import mytriton
import mytriton.language as tl

SCALE = 2.0


@mytriton.elementwise
def swiglu(a, b):
    return a * tl.sigmoid(a) * b


@mytriton.elementwise(opaque=True)
def opaque_swiglu(a, b):
    return a * tl.sigmoid(a) * b


@mytriton.elementwise
def scaled(x, scale: float, POWER: tl.constexpr = 1):
    for _ in tl.static_range(POWER):
        x = x * scale
    return x


@mytriton.elementwise
def parts(x, y):
    return tl.minimum(x, y), x > y


@mytriton.elementwise
def global_scaled(x):
    return x * SCALE


def eager(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * torch.sigmoid(a) * b


X, Y = torch.randn(2, 6, 8).unbind()


def test_the_op_has_a_schema_and_a_name_of_its_own() -> None:
    schema = str(swiglu.op._schema)
    assert schema.startswith("mytriton::swiglu_")
    assert schema.endswith('(Tensor a, Tensor b, *, str options="") -> Tensor')
    assert "(Tensor x, Scalar scale, *," in str(scaled.op._schema)
    assert str(parts.op._schema).endswith("-> (Tensor, Tensor)")
    assert torch.Tag.pt2_compliant_tag in swiglu.op.tags
    assert swiglu.op is not opaque_swiglu.op
    made = [mytriton.elementwise(lambda x, k=k: x * k).op for k in (2.0, 3.0)]
    assert made[0].name() != made[1].name()
    assert torch.equal(swiglu.op(X, Y), swiglu(X, Y))


SAMPLES = {
    "plain": (swiglu, (X, Y), {}),
    "broadcast": (swiglu, (X[0], Y.t().contiguous().t()), {}),
    "of two dtypes": (swiglu, (X.double(), Y.bfloat16()), {}),
    "of a number": (scaled, (X, 2.5), {}),
    "with options": (scaled, (X, 3), {"options": repr({"POWER": ("value", 3)})}),
    "two outputs": (parts, (X, Y[:, :1]), {}),
    "opaque": (opaque_swiglu, (X, Y), {}),
}


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("sample", SAMPLES)
def test_opcheck(sample: str, gradient: bool) -> None:
    function, inputs, options = SAMPLES[sample]
    given = tuple(
        each.clone().requires_grad_(gradient) if isinstance(each, torch.Tensor) else each
        for each in inputs
    )
    torch.library.opcheck(function.op, given, options)


def test_opcheck_of_the_gradient() -> None:
    op = swiglu._op_of((False, False)).gradient((True, True)).overload
    inputs = tuple(each.clone().requires_grad_() for each in (X, Y[0], X + Y))
    torch.library.opcheck(op, inputs)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compile(backend: str) -> None:
    @torch.compile(fullgraph=True, dynamic=True, backend=backend)
    def block(x, y, bias):
        return scaled(swiglu(x + bias, y), 2.0, POWER=2) + x

    for rows in (3, 5, 9):
        x, y = torch.randn(2, rows, 8).unbind()
        bias = torch.randn(8)
        made = [each.clone().requires_grad_() for each in (x, y, bias)]
        known = [each.clone().requires_grad_() for each in (x, y, bias)]
        result = block(*made)
        expected = eager(known[0] + known[2], known[1]) * 4 + known[0]
        torch.testing.assert_close(result, expected)
        result.square().sum().backward()
        expected.square().sum().backward()
        for a, b in zip(made, known, strict=True):
            torch.testing.assert_close(a.grad, b.grad)


def test_one_compilation_serves_many_sizes() -> None:
    counter = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(lambda x, y: swiglu(x, y), backend=counter, dynamic=True)
    for rows in (3, 5, 9, 17):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(compiled(x, x), eager(x, x))
    assert counter.frame_count == 1


def test_out_in_a_graph() -> None:
    @torch.compile(fullgraph=True, backend="aot_eager")
    def stored(x, y, out):
        swiglu(x, y, out=out)
        return out + 1

    out = torch.empty_like(X)
    result = stored(X, Y, out)
    torch.testing.assert_close(out, eager(X, Y))
    torch.testing.assert_close(result, eager(X, Y) + 1)


def test_vmap_and_grad() -> None:
    torch.testing.assert_close(torch.vmap(swiglu)(X, Y), eager(X, Y))
    torch.testing.assert_close(torch.vmap(swiglu, (0, None))(X, Y[0]), eager(X, Y[0]))
    outer = torch.vmap(torch.vmap(swiglu, (None, 0)), (0, None))
    torch.testing.assert_close(outer(X[:, 0], Y[0]), eager(X[:, :1], Y[0]))
    torch.testing.assert_close(torch.vmap(swiglu, (1, 0), 1)(X, Y.t()), eager(X, Y))
    low, greater = torch.vmap(parts, (0, None))(X, Y[0])
    assert torch.equal(low, torch.minimum(X, Y[0])) and torch.equal(greater, Y[0] < X)

    def loss(f):
        return lambda a, b: f(a, b).square().sum()

    for argnums in (0, 1, (0, 1)):
        made = torch.func.grad(loss(swiglu), argnums)(X, Y)
        torch.testing.assert_close(made, torch.func.grad(loss(eager), argnums)(X, Y))
    made = torch.vmap(torch.func.grad(loss(swiglu)), (0, None))(X, Y[0])
    torch.testing.assert_close(made, torch.vmap(torch.func.grad(loss(eager)), (0, None))(X, Y[0]))
    hessian = torch.func.jacrev(torch.func.grad(loss(swiglu)))(X[0], Y[0])
    torch.testing.assert_close(hessian, torch.func.jacrev(torch.func.grad(loss(eager)))(X[0], Y[0]))


def test_forward_derivatives() -> None:
    forward_ad = torch.autograd.forward_ad
    for a, b in ((X, Y), (X, Y[0]), (X[:, :1], Y)):  # broadcast, too
        tangents = torch.randn_like(a), torch.randn_like(b)
        for which in ((0,), (1,), (0, 1)):
            with forward_ad.dual_level():
                duals = [a, b]
                for i in which:
                    duals[i] = forward_ad.make_dual(duals[i], tangents[i])
                made = forward_ad.unpack_dual(swiglu(*duals))
                expected = forward_ad.unpack_dual(eager(*duals))
            torch.testing.assert_close(made.primal, expected.primal)
            torch.testing.assert_close(made.tangent, expected.tangent)
    for transform in (torch.func.jacfwd, torch.func.hessian, torch.vmap):
        made = transform(lambda a, b: torch.func.jvp(swiglu, (a, b), (b, a))[1])(X[0], Y[0])
        expected = transform(lambda a, b: torch.func.jvp(eager, (a, b), (b, a))[1])(X[0], Y[0])
        torch.testing.assert_close(made, expected)
    x = X.clone().requires_grad_()
    torch.func.jvp(swiglu, (x, Y), (Y, Y))[1].sum().backward()
    made, x.grad = x.grad, None
    torch.func.jvp(eager, (x, Y), (Y, Y))[1].sum().backward()
    torch.testing.assert_close(made, x.grad)


def test_forward_derivatives_of_several_outputs() -> None:
    def three(a, b):
        return a * b, a > b, b * 2.0

    made = torch.func.jvp(mytriton.elementwise(three), (X, Y), (Y, X))
    expected = torch.func.jvp(three, (X, Y), (Y, X))
    for each, other in zip(made[1][::2], expected[1][::2], strict=True):
        torch.testing.assert_close(each, other)
    assert torch.equal(made[0][1], expected[0][1])


def test_a_backward_of_ones_own_has_no_forward_derivative() -> None:
    step = mytriton.elementwise(backward=lambda x, flow: flow)(lambda x: tl.floor(x))
    message = "argument 'x' has a tangent, but a function with a backward of its own"
    with pytest.raises(NotImplementedError, match=message):
        torch.func.jvp(step, (X,), (Y,))
    torch.testing.assert_close(torch.func.grad(lambda x: step(x).sum())(X), torch.ones_like(X))


def test_subclasses_and_negative_views() -> None:
    two = TwoTensor(X.clone(), Y.clone())
    made = swiglu(two, two)
    assert isinstance(made, TwoTensor)
    torch.testing.assert_close(made.b, eager(Y, Y))
    two = two.requires_grad_()
    swiglu(two, two).sum().backward()
    for made, plain in ((two.grad.a, X.clone()), (two.grad.b, Y.clone())):
        eager(plain.requires_grad_(), plain).sum().backward()
        torch.testing.assert_close(made, plain.grad)
    negative = torch.complex(X, Y).conj().imag
    assert negative.is_neg()
    torch.testing.assert_close(swiglu(negative, X), eager(-Y, X))


def test_threads_that_call_it_first_together() -> None:
    function = mytriton.elementwise(lambda a, b: tl.maximum(a, b))
    results = []
    barrier = threading.Barrier(8)

    def call() -> None:
        barrier.wait()
        results.append(function(X, Y))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(results) == 8 and all(torch.equal(r, torch.maximum(X, Y)) for r in results)


def test_modes() -> None:
    with torch.inference_mode():
        result = swiglu(X, Y)
        assert result.is_inference()
    torch.testing.assert_close(result, eager(X, Y))
    from torch._subclasses.fake_tensor import FakeTensorMode

    x, y = X.t(), Y.t()
    with FakeTensorMode() as mode:
        fake = swiglu(mode.from_tensor(x), mode.from_tensor(y))
    assert fake.shape == (8, 6) and fake.stride() == (1, 8)
    meta = swiglu.op(X.to("meta"), Y.to("meta"))
    assert meta.is_meta and meta.shape == X.shape
    with torch.profiler.profile() as profile:
        swiglu(X, Y)
    assert any("mytriton::swiglu_" in each.key for each in profile.key_averages())


def test_autocast_leaves_dtypes_alone() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert swiglu(X, Y).dtype == torch.float32
        assert swiglu(X.bfloat16(), Y.bfloat16()).dtype == torch.bfloat16
        product = torch.mm(X, Y.t())
        assert swiglu(product, product).dtype == torch.bfloat16


def test_checkpoint() -> None:
    x, y = X.clone().requires_grad_(), Y.clone().requires_grad_()
    for reentrant in (False, True):
        x.grad = None
        torch.utils.checkpoint.checkpoint(swiglu, x, y, use_reentrant=reentrant).sum().backward()
        grad, x.grad = x.grad, None
        eager(x, y).sum().backward()
        torch.testing.assert_close(grad, x.grad)


class Gate(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.function = swiglu

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x, x)


def test_modules_that_hold_a_function() -> None:
    gate = Gate()
    for each in (copy.deepcopy(gate), pickle.loads(pickle.dumps(gate))):
        assert each.function is swiglu
        torch.testing.assert_close(each(X), eager(X, X))
