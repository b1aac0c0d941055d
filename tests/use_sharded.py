"""Run by test_works_with.py, once for each of two processes: an op on a DTensor."""

import sys

import torch
import torch.distributed as dist
from custom_ops import silu, silu_backward
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh
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
whole = torch.linspace(-3, 3, 40).view(10, 4)
x = distribute_tensor(whole, mesh, [Shard(0)]).requires_grad_()
y = silu(x)
y.backward(distribute_tensor(torch.ones(10, 4), mesh, [Shard(0)]))
assert list(y.placements) == list(x.grad.placements) == [Shard(0)]
plain = whole.clone().requires_grad_()
torch.nn.functional.silu(plain).backward(torch.ones(10, 4))
torch.testing.assert_close(y.full_tensor(), torch.nn.functional.silu(whole))
torch.testing.assert_close(x.grad.full_tensor(), plain.grad)
dist.destroy_process_group()
print("sharded: agrees")
