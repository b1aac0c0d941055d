"""Run by test_works_with.py, once for each of two processes: ops on DTensors."""

import sys

import torch
import torch.distributed as dist
from custom_ops import silu, silu_backward
from elementwise_functions import eager_gated, exponential, gated, leaky
from torch.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_tensor,
    init_device_mesh,
)
from torch.distributed.tensor.experimental import register_sharding


@register_sharding(silu.op)
def sharding_of_silu(x):
    return [([Shard(dim)], [Shard(dim)]) for dim in range(x.ndim)]


@register_sharding(silu_backward.op)
def sharding_of_silu_backward(grad, x):
    return [([Shard(dim)], [Shard(dim)] * 2) for dim in range(x.ndim)]


rank, rendezvous = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)
mesh = init_device_mesh("cpu", (2,))


def compare(function, eager, inputs, expected):
    """inputs: tensors, each with its placement; expected: the placement of the result."""
    leaves = [distribute_tensor(each, mesh, [where]).requires_grad_() for each, where in inputs]
    plain = [each.clone().requires_grad_() for each, _ in inputs]
    made, known = function(*leaves), eager(*plain)
    assert list(made.placements) == [expected], made.placements
    torch.testing.assert_close(made.full_tensor(), known)
    made.square().sum().backward()
    known.square().sum().backward()
    for one, other in zip(leaves, plain, strict=True):
        torch.testing.assert_close(one.grad.full_tensor(), other.grad)


X, Y = torch.linspace(-3, 3, 80).view(2, 10, 4).unbind()
compare(silu, torch.nn.functional.silu, [(X, Shard(0))], Shard(0))
print("op: agrees")

BIAS = torch.linspace(-1, 1, 4)
for where, of_bias in ((Shard(0), Replicate()), (Shard(1), Shard(0)), (Replicate(), Replicate())):
    compare(gated, eager_gated, [(X, where), (Y, where), (BIAS, of_bias)], where)
compare(gated, eager_gated, [(X, Shard(0)), (Y, Replicate()), (BIAS, Replicate())], Shard(0))

x = distribute_tensor(X, mesh, [Shard(1)]).requires_grad_()
value, positive = leaky(x, 2.0)
assert list(value.placements) == list(positive.placements) == [Shard(1)]
assert torch.equal(positive.full_tensor(), X > 0)
value.sum().backward()
assert torch.equal(x.grad.full_tensor(), torch.where(X > 0, 1.0, 2.0))

# What is partial is summed before: nobody says that the function is linear.
halves = DTensor.from_local(X / 2, mesh, [Partial()])
whole = [distribute_tensor(each, mesh, [Replicate()]) for each in (Y, BIAS)]
torch.testing.assert_close(gated(halves, *whole).full_tensor(), eager_gated(X, Y, BIAS))

# The dtypes of results depend on numbers, and what is called next refuses ints.
ints = distribute_tensor(torch.arange(6), mesh, [Shard(0)])
assert torch.equal(leaky(ints, 3)[0].full_tensor(), torch.arange(6))
halves = leaky(ints, 0.5)[0]
assert halves.dtype == torch.float32
torch.testing.assert_close(exponential(halves).full_tensor(), torch.arange(6.0).exp())

with torch.inference_mode():
    x = distribute_tensor(X, mesh, [Shard(0)])
    torch.testing.assert_close(gated(x, *whole).full_tensor(), eager_gated(X, Y, BIAS))
print("elementwise: agrees")
dist.destroy_process_group()
