"""How torch.distributed may shard an elementwise op's DTensors: as those of any pointwise op."""

from __future__ import annotations

from typing import Any

import torch

_registered: set[torch._ops.OpOverload] = set()


def prepare(overload: torch._ops.OpOverload) -> None:
    """Registers the op, once, where there may be DTensors: they need a group of processes. Called
    by the op's fake, which DTensor asks for shapes before it asks for shardings."""
    distributed = torch.distributed
    if overload in _registered or not distributed.is_available():
        return
    if distributed.is_initialized():
        register(overload)


def register(overload: torch._ops.OpOverload) -> None:
    """Tells DTensor that the op is pointwise: its outputs may be sharded along any dimension, with
    each input that has it; inputs that are broadcast along it, and numbers, are on every rank.
    What is partial is reduced first, for nothing is known of the function.
    """
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor._op_schema import RuntimeSchemaInfo
    from torch.distributed.tensor.experimental import register_sharding

    arguments = overload._schema.arguments
    count = len(overload._schema.returns)

    @register_sharding(overload)
    def pointwise(*inputs: Any, **_: Any) -> list[tuple[list[Any], list[Any]]]:
        shapes = [getattr(each, "shape", None) for each in inputs]  # None: a number, or nothing
        shape = torch.broadcast_shapes(*(each for each in shapes if each is not None))
        placements: list[tuple[list[Any], list[Any]]] = [
            ([Replicate()] * count, [each if each is None else Replicate() for each in shapes])
        ]
        for dim in range(-len(shape), 0):
            of_inputs = [
                None
                if each is None
                else Shard(len(each) + dim)
                if len(each) >= -dim and each[dim] == shape[dim]
                else Replicate()
                for each in shapes
            ]
            placements.append(([Shard(len(shape) + dim)] * count, of_inputs))
        return placements

    # Torch keeps what it found for a call by its tensors and by these: numbers and options decide
    # the dtypes of outputs. register_sharding itself looks at ints only.
    numbers = [i for i, each in enumerate(arguments) if each.type.kind() == "NumberType"]
    DTensor._op_dispatcher.sharding_propagator.op_to_schema_info[overload] = RuntimeSchemaInfo(
        min(numbers, default=100), ["options"], needs_pytree=True
    )
    _registered.add(overload)
