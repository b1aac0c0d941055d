"""@mytriton.op: schema, rules, what it refuses, and what a second definition does."""

import copy
import pickle
from typing import Any

import pytest
import torch
from custom_ops import blocks, double_, scale_kernel, scaled, silu, silu_backward

import mytriton

N = 300


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


# --- schema and calls ----------------------------------------------------------------------------


def test_schema_comes_from_the_annotations() -> None:
    @mytriton.op("mytriton_tests::schemas", mutates_args=("out",))
    def schemas(
        x: torch.Tensor, y: torch.Tensor | None, out: torch.Tensor, n: int, *, flag: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Of no use."""
        return x.clone(), x.clone()

    assert str(schemas.op._schema) == (
        "mytriton_tests::schemas(Tensor x, Tensor? y, Tensor(a2!) out, SymInt n, *, "
        "bool flag=False) -> (Tensor, Tensor)"
    )
    assert schemas.__name__ == "schemas" and schemas.__doc__ == "Of no use."
    assert str(schemas.op._schema) in repr(schemas)
    assert torch.Tag.pt2_compliant_tag in schemas.op.tags


def test_calls() -> None:
    x = numbers(N)
    for got in (scaled(x, 3.0), scaled(x=x, s=3.0), torch.ops.mytriton_tests.scaled(x, 3.0)):
        assert torch.equal(got, 3 * x)
    assert torch.equal(scaled(x), 2 * x)
    torch.testing.assert_close(silu(x), torch.nn.functional.silu(x))
    with torch.inference_mode():
        assert scaled(x).is_inference()


@pytest.mark.parametrize("requires_grad", [False, True])
def test_opcheck(requires_grad: bool) -> None:
    x = numbers(N).requires_grad_(requires_grad)
    for op, args in ((silu, (x,)), (scaled, (x, 3.0))):
        torch.library.opcheck(op.op, args)
    torch.library.opcheck(silu_backward.op, (x.detach(), x.detach()))
    torch.library.opcheck(double_.op, (x.detach(),))


def test_pickled_and_copied_by_name() -> None:
    assert pickle.loads(pickle.dumps(silu)) is silu
    assert copy.deepcopy([silu])[0] is silu


def test_an_op_that_writes() -> None:
    x = numbers(N)
    before, version = x.clone(), x._version
    assert double_(x) is None
    assert torch.equal(x, 2 * before) and x._version == version + 1
    with pytest.raises(RuntimeError, match="argument 'x' is written by the op and requires grad"):
        double_(x.requires_grad_())
    with torch.no_grad():
        double_(x)
    assert torch.equal(x, 4 * before)
    with pytest.raises(TypeError, match="double_ writes an argument, so that it cannot have a der"):
        double_.register_autograd(lambda ctx: None)


def test_reading_what_requires_grad_in_an_op_that_writes() -> None:
    @mytriton.op("mytriton_tests::scaled_to", mutates_args="out")
    def scaled_to(x: torch.Tensor, out: torch.Tensor) -> None:
        scale_kernel[blocks](x, out, 2.0, x.numel())

    x, out = numbers(N).requires_grad_(), torch.empty(N)
    with pytest.warns(UserWarning, match="scaled_to: argument 'x' requires grad, .* no gradient"):
        scaled_to(x, out)
    with torch.no_grad():
        scaled_to(x, out)
    assert torch.equal(out, 2 * x)


# --- what is refused -----------------------------------------------------------------------------


def identity(x: torch.Tensor) -> torch.Tensor:
    return x


def unannotated(x, y: int) -> torch.Tensor:
    return torch.empty(y)


def without_result(x: torch.Tensor):
    return x.clone()


def of_a_dict(x: dict) -> torch.Tensor:
    return torch.empty(1)


@pytest.mark.parametrize(
    ("name", "fn", "error", "message"),
    [
        ("silu", identity, ValueError, "expected a name like .*, both parts ident.*; got 'silu'"),
        ("a::b::c", identity, ValueError, "got 'a::b::c'"),
        ("a::if", identity, ValueError, "got 'a::if'"),
        ("a::1", identity, ValueError, "got 'a::1'"),
        (identity, identity, ValueError, "got <function identity"),
        ("aten::mul", identity, ValueError, "the namespace 'aten' is not yours"),
        ("torch_tests::x", 3, TypeError, "torch_tests::x: expected a function, got int"),
        ("m::f", unannotated, TypeError, "m::f: Parameter x must have a type annotation"),
        ("m::f", without_result, TypeError, "m::f: No return type annotation"),
        ("m::f", of_a_dict, TypeError, "m::f: Parameter x has unsupp.*dict.*Valid are Tensor, int"),
    ],
)
def test_a_wrong_definition(name: Any, fn: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        mytriton.op(name)(fn)


def test_a_mutated_argument_that_there_is_not() -> None:
    with pytest.raises(TypeError, match=r"m::f: .*'y'.* not found"):
        mytriton.op("m::f", mutates_args=("y",))(identity)


def test_an_op_of_someone_else() -> None:
    library = torch.library.Library("mytriton_tests", "FRAGMENT")
    library.define("foreign(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="mytriton_tests::foreign is an op already"):
        mytriton.op("mytriton_tests::foreign")(identity)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_what_a_function_must_not_do(requires_grad: bool) -> None:
    @mytriton.op("mytriton_tests::returns_view")
    def returns_view(x: torch.Tensor) -> torch.Tensor:
        return x[1:]

    @mytriton.op("mytriton_tests::returns_twice")
    def returns_twice(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        out = x.clone()
        return out, out

    @mytriton.op("mytriton_tests::writes")
    def writes(x: torch.Tensor) -> torch.Tensor:
        scale_kernel[blocks](x, x, 2.0, x.numel())
        return x.clone()

    @mytriton.op("mytriton_tests::returns_none")
    def returns_none(x: torch.Tensor) -> torch.Tensor:
        return None  # type: ignore[return-value]

    x = numbers(N).requires_grad_(requires_grad)
    with pytest.raises(
        RuntimeError, match=r"returns_view\w*: output 0 shares memory with an input"
    ):
        returns_view(x)
    with pytest.raises(RuntimeError, match=r"returns_twice\w*: output 1 shares memory with"):
        returns_twice(x)
    with pytest.raises(
        RuntimeError, match=r"writes\w*: argument 'x' was written; name it in mutates_"
    ):
        writes(x)
    with pytest.raises(
        RuntimeError, match=r"returns_none\w*: output 0: expected a tensor, .* None"
    ):
        returns_none(x)


# --- shapes --------------------------------------------------------------------------------------


def test_shapes_come_from_the_function_without_its_launches() -> None:
    @mytriton.op("mytriton_tests::halves")
    def halves(x: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        out = x.new_empty(x.shape[0] // 2, n)
        scale_kernel[blocks](x, out, 2.0, x.numel())  # too many elements: never launched
        return out, torch.empty(n, dtype=torch.int8, device=x.device)

    out, other = halves(torch.empty(6, 5, device="meta"), 7)
    assert (out.shape, out.dtype, out.device.type) == ((3, 7), torch.float32, "meta")
    assert (other.shape, other.dtype) == ((7,), torch.int8)
    with torch._subclasses.FakeTensorMode():
        out, _ = halves(torch.empty(8, 5), 2)
        assert (out.shape, out.device.type) == ((4, 2), "cpu")


def test_shapes_given_by_hand() -> None:
    @mytriton.op("mytriton_tests::up_to_sum")
    def up_to_sum(x: torch.Tensor) -> torch.Tensor:
        return torch.arange(int(x.sum()))

    def run() -> torch.Tensor:
        with torch._subclasses.FakeTensorMode(
            shape_env=torch.fx.experimental.symbolic_shapes.ShapeEnv()
        ):
            return up_to_sum(torch.ones(3))

    with pytest.raises(Exception) as caught:
        run()
    assert "up_to_sum.register_fake" in caught.value.__notes__[0]

    @up_to_sum.register_fake
    def shapes(x: torch.Tensor) -> torch.Tensor:
        return torch.empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64)

    assert isinstance(run().shape[0], torch.SymInt)
    assert torch.equal(up_to_sum(torch.ones(3)), torch.arange(3))


# --- gradients -----------------------------------------------------------------------------------


def test_gradients() -> None:
    x = numbers(N).requires_grad_()
    (mine,) = torch.autograd.grad(silu(x).square().sum(), x)
    (expected,) = torch.autograd.grad(torch.nn.functional.silu(x).square().sum(), x)
    torch.testing.assert_close(mine, expected)
    with torch.no_grad():
        assert not silu(x).requires_grad


def test_an_op_without_a_derivative_says_so_when_one_is_wanted() -> None:
    x = numbers(N).requires_grad_()
    y = silu_backward(x, x)
    with pytest.raises(RuntimeError, match="silu_backward has no derivative; give it one with reg"):
        y.sum().backward()
    with pytest.raises(NotImplementedError, match="jvp"):
        torch.func.jvp(silu, (x.detach(),), (x.detach(),))


def test_second_derivatives() -> None:
    x = numbers(N).requires_grad_()
    (first,) = torch.autograd.grad(scaled(x, 3.0).square().sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, torch.full((N,), 18.0))


def test_a_backward_of_launches_cannot_be_differentiated_again() -> None:
    @mytriton.op("mytriton_tests::twice")
    def twice(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        scale_kernel[blocks](x, out, 2.0, x.numel())
        return out

    twice.register_autograd(lambda ctx, grad: twice.fn(grad.contiguous()))
    x = numbers(N).requires_grad_()
    (first,) = torch.autograd.grad(twice(x).square().sum(), x, create_graph=True)
    torch.testing.assert_close(first.detach(), 8 * x.detach())
    for differentiate in (lambda: first.sum().backward(), lambda: torch.autograd.grad(first[0], x)):
        with pytest.raises(RuntimeError, match="twice: its backward launches kernels, which have"):
            differentiate()


def test_keywords_defaults_and_lists_with_gradients() -> None:
    @mytriton.op("mytriton_tests::weighted")
    def weighted(xs: list[torch.Tensor], power: int = 1, *, s: float = 2.0) -> torch.Tensor:
        return sum(xs) * s**power

    def setup(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
        ctx.factor = keyword_only_inputs["s"] ** inputs[1]

    weighted.register_autograd(
        lambda ctx, grad: ([grad * ctx.factor] * 2, None), setup_context=setup
    )
    x, y = numbers(2, N).unbind()
    x.requires_grad_()
    for kwargs, factor in (({}, 2.0), ({"s": 3.0}, 3.0), ({"power": 2}, 4.0)):
        out = weighted([x, y], **kwargs)
        assert torch.equal(out, (x + y) * factor)
        (grad,) = torch.autograd.grad(out.sum(), x)
        assert torch.equal(grad, torch.full((N,), factor))


# --- second definitions --------------------------------------------------------------------------


def test_a_second_definition_is_a_new_op_without_rules() -> None:
    def define(s: float) -> mytriton.Op:
        @mytriton.op("mytriton_tests::again")
        def again(x: torch.Tensor) -> torch.Tensor:
            return x * s

        return again

    first = define(2.0)
    first.register_autograd(lambda ctx, grad: grad * 2)
    second = define(3.0)
    assert [each.name.partition("::")[2] for each in (first, second)] == ["again", "again_2"]
    x = numbers(N).requires_grad_()
    assert torch.equal(first(x), 2 * x) and torch.equal(second(x), 3 * x)
    with pytest.raises(RuntimeError, match="again_2 has no derivative"):
        second(x).sum().backward()
    second.register_autograd(lambda ctx, grad: grad * 3)
    for op, s in ((first, 2.0), (second, 3.0)):
        (grad,) = torch.autograd.grad(op(x).sum(), x)
        assert torch.equal(grad, torch.full((N,), s))


def test_rules_that_come_after_the_first_use_count() -> None:
    @mytriton.op("mytriton_tests::late")
    def late(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    x = numbers(N).requires_grad_()
    run = torch.compile(lambda x: late(x) + 1, backend="aot_eager", fullgraph=True)
    with torch.no_grad():
        run(x)
    late.register_autograd(lambda ctx, grad: grad * 2)
    run(x).sum().backward()
    assert torch.equal(x.grad, torch.full((N,), 2.0))
