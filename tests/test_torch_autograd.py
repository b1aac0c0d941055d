"""A launch keeps the state of tensors right: versions, gradients, inference, shared storage."""

import warnings

import pytest
import torch
from kernels import add_kernel

import mytriton
import mytriton.language as tl

N = 100


@mytriton.jit
def double_kernel(x, n, BLOCK: tl.constexpr = 128):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(x + offs, tl.load(x + offs, mask=mask) * 2.0, mask=mask)


@mytriton.jit
def split_kernel(x, negative, positive, n, BLOCK: tl.constexpr = 128):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    tl.store(negative + offs, tl.minimum(a, 0.0), mask=mask)
    tl.store(positive + offs, tl.maximum(a, 0.0), mask=mask)


def add(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    add_kernel[1](x, y, out, N, BLOCK=128)


@pytest.fixture(params=["cold", "warm"])
def path(request: pytest.FixtureRequest) -> None:
    """Runs a test with kernels that are compiled already, so in C, and with others."""
    kernels = [add_kernel, double_kernel, split_kernel]
    for kernel in kernels:
        kernel.clear_cache()
    if request.param == "warm":
        x = torch.zeros(N)
        add(x, x, x)
        double_kernel[1](x, N)
        split_kernel[1](x, x, x, N)


# --- versions and gradients ----------------------------------------------------------------------


@pytest.mark.usefixtures("path")
def test_versions_of_written_tensors_only_are_bumped() -> None:
    x, negative, positive = torch.randn(3, N).unbind()
    tensors = (x, negative.clone(), positive.clone())
    before = [t._version for t in tensors]
    split_kernel[1](*tensors, N)
    assert [t._version for t in tensors] == [before[0], before[1] + 1, before[2] + 1]
    double_kernel[1](tensors[0], N)
    assert [t._version for t in tensors] == [before[0] + 1, before[1] + 1, before[2] + 1]


@pytest.mark.usefixtures("path")
def test_a_view_and_its_base_share_the_version() -> None:
    base = torch.ones(2 * N)
    double_kernel[1](base[N:], N)
    assert base._version == 1
    assert base[N - 1] == 1 and base[N] == 2


@pytest.mark.usefixtures("path")
def test_a_launch_that_fails_writes_nothing() -> None:
    x = torch.ones(N, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"argument 'x' is written .* and requires grad"):
        double_kernel[1](x, N)
    assert x._version == 0
    assert torch.equal(x, torch.ones(N))


@pytest.mark.usefixtures("path")
def test_a_written_tensor_that_requires_grad_is_refused_by_name() -> None:
    x = torch.ones(N, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"argument 'out' is written .* and requires grad"):
        add(torch.ones(N), torch.ones(N), x * 1)
    with pytest.raises(RuntimeError, match="argument 'positive'"):
        split_kernel[1](torch.ones(N), torch.ones(N), x, N)
    with torch.no_grad():
        double_kernel[1](x, N)
    assert torch.equal(x, torch.full((N,), 2.0))


@pytest.mark.usefixtures("path")
def test_reading_a_tensor_that_requires_grad_says_that_no_gradient_flows() -> None:
    x, y, out = torch.ones(N), torch.nn.Parameter(torch.ones(N)), torch.empty(N)
    with pytest.warns(UserWarning, match=r"argument 'y' requires grad, .* no gradient") as told:
        add(x, y, out)
    assert [each.filename for each in told] == [__file__]  # the user's line, cold and warm
    assert not out.requires_grad
    assert torch.equal(out, torch.full((N,), 2.0))
    out.zero_()
    with warnings.catch_warnings(), pytest.raises(UserWarning, match=r"torch\.no_grad"):
        warnings.simplefilter("error")
        add(x, y, out)
    assert torch.equal(out, torch.zeros(N))


@pytest.mark.usefixtures("path")
def test_where_no_gradient_is_asked_for_reading_is_silent() -> None:
    x, y, out = torch.ones(N), torch.nn.Parameter(torch.ones(N)), torch.empty(N)
    add(x, y.detach(), out)
    with torch.no_grad():
        add(x, y, out)
    with torch.inference_mode():
        add(x, y, out)
    assert torch.equal(out, torch.full((N,), 2.0))


def test_what_has_no_gradient_anyway_is_silent() -> None:
    @mytriton.jit
    def signs_kernel(x, out):
        offs = tl.arange(0, 128)
        tl.store(out + offs, tl.load(x + offs) > 0)

    out = torch.empty(128, dtype=torch.bool)
    signs_kernel[1](torch.ones(128, requires_grad=True), out)
    assert out.all()


@pytest.mark.usefixtures("path")
def test_autograd_notices_that_a_saved_tensor_was_overwritten() -> None:
    x = torch.randn(N, requires_grad=True)
    saved = x.exp()
    loss = saved.sum()
    with torch.no_grad():
        double_kernel[1](saved, N)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.usefixtures("path")
def test_a_launch_inside_an_autograd_function() -> None:
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            out = torch.empty_like(x)
            add(x, y, out)
            return out

        @staticmethod
        def backward(ctx, grad):
            return grad.clone(), grad.clone()

    x, y = torch.randn(N, requires_grad=True), torch.randn(N, requires_grad=True)
    out = Sum.apply(x, y)
    out.square().sum().backward()
    assert torch.equal(x.grad, 2 * out) and torch.equal(y.grad, 2 * out)


# --- inference -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("path")
def test_inference_tensors() -> None:
    normal = torch.ones(N)
    with torch.inference_mode():
        x, out = torch.ones(N), torch.empty(N)
        add(x, normal, out)
        double_kernel[1](normal, N)
        double_kernel[1](torch.nn.Parameter(x), N)
    assert out.is_inference()
    assert torch.equal(out, torch.full((N,), 2.0))
    assert normal._version == 1
    add(out, normal, out)  # and outside of inference mode
    assert torch.equal(out, torch.full((N,), 4.0))
    assert torch.equal(x, torch.full((N,), 2.0))


# --- storage -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("path")
def test_copy_on_write_is_kept_for_what_is_only_read() -> None:
    base = torch.ones(N)
    read, written = torch._lazy_clone(base), torch._lazy_clone(base)
    add(base, read, torch.empty(N))
    assert [torch._C._is_cow_tensor(t) for t in (base, read, written)] == [True, True, True]
    double_kernel[1](written, N)
    assert [torch._C._is_cow_tensor(t) for t in (base, read, written)] == [True, True, False]
    assert torch.equal(written, torch.full((N,), 2.0))
    assert torch.equal(read, torch.ones(N)) and torch.equal(base, torch.ones(N))


@pytest.mark.usefixtures("path")
def test_one_tensor_as_input_and_output() -> None:
    x = torch.ones(N)
    add(x, x, x)
    assert torch.equal(x, torch.full((N,), 2.0))
    shared = torch._lazy_clone(x)
    add(shared, shared, shared)
    assert torch.equal(shared, torch.full((N,), 4.0))
    assert torch.equal(x, torch.full((N,), 2.0))


@pytest.mark.usefixtures("path")
def test_tensors_without_elements_and_an_empty_grid() -> None:
    empty = torch.empty(0)
    add_kernel[1](empty, empty, empty, 0, BLOCK=128)
    double_kernel[0](empty, 0)
    x = torch.ones(N)
    for grid in (0, (0, 5), (1, 1, 0)):
        double_kernel[grid](x, N)
    assert torch.equal(x, torch.ones(N))
    with torch.inference_mode():
        double_kernel[lambda meta: meta["n"]](torch.empty(0), 0)
