"""Wrong shapes: CompileError says what was expected, names the shapes, and points at the place."""

from collections.abc import Callable
from typing import Any

import pytest
import wrong_shapes
from test_compile_errors import assert_points_at, launch

Kernel = Callable[..., Any]
ONLY = "is indexed by : and None only, got"
MISTAKES: list[tuple[Kernel, str, str]] = [
    (
        wrong_shapes.operator_shapes,
        "block + tl.arange(0, 4)",
        "shapes: block<4x8 x f32>, vector<4 x f32>",
    ),
    (
        wrong_shapes.where_shapes,
        "tl.where(on, tl.arange(0, 8), tl.zeros((3, 8), tl.int32))",
        "incompatible shapes: block<4x1 x bool>, vector<8 x i32>, block<3x8 x i32>",
    ),
    (
        wrong_shapes.pointer_shapes,
        "x + tl.arange(0, 3)[:, None] + tl.zeros((4, 5), tl.int32)",
        "incompatible shapes: block<3x1 x ptr<f32>>, block<4x5 x i32>",
    ),
    (
        wrong_shapes.load_mask,
        "tl.load(pointers, mask=tl.arange(0, 8) < n)",
        "load: incompatible shapes: block<4x1 x ptr<f32>>, vector<8 x bool>",
    ),
    (
        wrong_shapes.store_value,
        "tl.store(pointers, tl.zeros((4, 8), tl.float32))",
        "store: incompatible shapes: block<4x1 x ptr<f32>>, block<4x8 x f32>",
    ),
    (
        wrong_shapes.store_mask,
        "tl.store(pointers, 1.0, mask=tl.arange(0, 4)[:, None] < n)",
        "store: incompatible shapes: vector<4 x ptr<f32>>, f32, block<4x1 x bool>",
    ),
    (
        wrong_shapes.atomic_value,
        "tl.atomic_add(x + tl.arange(0, 4)[:, None], tl.zeros((4, 8), tl.float32))",
        "atomic_add: incompatible shapes: block<4x1 x ptr<f32>>, block<4x8 x f32>",
    ),
    (
        wrong_shapes.broadcast_two,
        "tl.broadcast(tl.arange(0, 4), tl.zeros((4, 8), tl.float32))",
        "broadcast: incompatible shapes: vector<4 x i32>, block<4x8 x f32>",
    ),
    (
        wrong_shapes.broadcast_to_other_size,
        "tl.broadcast_to(tl.arange(0, 4), (4, 8))",
        "broadcast_to: cannot broadcast vector<4 x i32> to (4, 8): expected sizes that are equal",
    ),
    (
        wrong_shapes.broadcast_to_lower_rank,
        "tl.zeros((4, 8), tl.float32).broadcast_to(8)",
        "broadcast_to: cannot broadcast block<4x8 x f32> to (8): expected sizes that are equal",
    ),
    (
        wrong_shapes.reshape_lanes,
        "tl.reshape(tl.zeros((4, 8), tl.float32), (4, 9))",
        "reshape: cannot reshape block<4x8 x f32> to (4, 9): expected a block of as many lanes",
    ),
    (
        wrong_shapes.reshape_of_scalar,
        "tl.reshape(n, 1, 1)",
        "reshape: cannot reshape i32 to (1, 1): expected",
    ),
    (
        wrong_shapes.reshape_unknown,
        "tl.zeros((4, 8), tl.float32).view(-1, 5)",
        "reshape: cannot reshape block<4x8 x f32> to (-1, 5): its 32 lanes are no multiple of 5",
    ),
    (
        wrong_shapes.reshape_two_unknown,
        "tl.reshape(tl.arange(0, 8), -1, -1)",
        "reshape: only one size may be -1, got (-1, -1)",
    ),
    (
        wrong_shapes.reshape_traced,
        "tl.reshape(tl.arange(0, 8), n, 8)",
        "reshape: a size must be an int known at compile time, got <traced i32>",
    ),
    (
        wrong_shapes.axis_beyond,
        "tl.sum(tl.zeros((4, 8), tl.float32), axis=2)",
        "sum: axis must be -2 to 1 for block<4x8 x f32>, got 2",
    ),
    (wrong_shapes.axis_of_scalar, "tl.max(n, axis=0)", "max requires a block, got i32"),
    (
        wrong_shapes.axis_traced,
        "tl.max(tl.arange(0, 8), axis=n)",
        "max: axis must be an int known at compile",
    ),
    (
        wrong_shapes.keep_dims_number,
        "tl.max(tl.arange(0, 8), keep_dims=1)",
        "keep_dims must be a bool, got 1",
    ),
    (
        wrong_shapes.dtype_of_max,
        "tl.max(tl.arange(0, 8), dtype=tl.int64)",
        "max() got an unexpected keyword argument 'dtype'",
    ),
    (
        wrong_shapes.expand_beyond,
        "tl.expand_dims(tl.arange(0, 8), 2)",
        "expand_dims: axis must be -2 to 1 for vector<8 x i32>, got 2",
    ),
    (
        wrong_shapes.expand_twice,
        "tl.expand_dims(tl.arange(0, 8), (0, -3))",
        "expand_dims: an axis is named twice in (0, -3)",
    ),
    (
        wrong_shapes.permute_twice,
        "tl.permute(tl.zeros((4, 8), tl.float32), (0, 0))",
        "permute: cannot permute block<4x8 x f32> by (0, 0): expected each axis once",
    ),
    (
        wrong_shapes.permute_beyond,
        "tl.permute(tl.zeros((4, 8), tl.float32), 0, 2)",
        "permute: axis must be -2 to 1 for block<4x8 x f32>, got 2",
    ),
    (
        wrong_shapes.permute_too_few,
        "tl.trans(tl.zeros((4, 8, 2), tl.float32), 1, 0)",
        "permute: cannot permute block<4x8x2 x f32> by (1, 0): expected each axis once",
    ),
    (
        wrong_shapes.trans_of_rank_1,
        "tl.arange(0, 8).T",
        "trans: expected two or more axes, got vector<8 x i32>",
    ),
    (
        wrong_shapes.join_shapes,
        "tl.join(tl.arange(0, 4), tl.arange(0, 8))",
        "join: incompatible shapes: vector<4 x i32>, vector<8 x i32>",
    ),
    (
        wrong_shapes.join_pointers,
        "tl.join(x, x)",
        "join requires numbers, got ptr<f32> and ptr<f32>",
    ),
    (
        wrong_shapes.interleave_shapes,
        "tl.interleave(tl.arange(0, 4), tl.zeros((4, 8), tl.int32))",
        "interleave: incompatible shapes: vector<4 x i32>, block<4x8 x i32>",
    ),
    (
        wrong_shapes.split_other_size,
        "tl.split(tl.zeros((2, 4), tl.float32))",
        "split: expected a block of two or more axes whose last has size 2, got block<2x4 x f32>",
    ),
    (
        wrong_shapes.split_scalar,
        "tl.split(n)",
        "split: expected a block of two or more axes whose last has",
    ),
    (
        wrong_shapes.cat_of_rank_2,
        "tl.cat(tl.zeros((2, 4), tl.int32), tl.arange(0, 4))",
        "cat: expected two blocks of rank 1 and one type, got block<2x4 x i32> and vector<4 x i32>",
    ),
    (
        wrong_shapes.cat_along_1,
        "tl.cat(tl.arange(0, 4), tl.arange(0, 4), dim=1)",
        "cat: dim must be 0, got 1",
    ),
    (wrong_shapes.index_int, "tl.arange(0, 8)[0]", f"vector<8 x i32> {ONLY} 0;"),
    (wrong_shapes.index_traced, "tl.arange(0, 8)[n]", f"vector<8 x i32> {ONLY} i32;"),
    (wrong_shapes.index_slice, "tl.arange(0, 8)[2:4]", f"vector<8 x i32> {ONLY} 2:4;"),
    (wrong_shapes.index_ellipsis, "tl.arange(0, 8)[..., None]", f"vector<8 x i32> {ONLY} ...;"),
    (
        wrong_shapes.index_too_many,
        "tl.arange(0, 8)[:, None, :]",
        "vector<8 x i32> has 1 axes, got an index of",
    ),
    (
        wrong_shapes.six_axes,
        "tl.zeros((1, 2, 1, 2, 1, 2), tl.float32)",
        "a block has at most 5 axes, got (1, 2, 1, 2, 1, 2)",
    ),
    (
        wrong_shapes.six_axes_by_index,
        "tl.zeros((1, 2, 1, 2, 1), tl.float32)[None]",
        "a block has at most 5 axes, got (1, 1, 2, 1, 2, 1)",
    ),
    (
        wrong_shapes.six_axes_of_scalar,
        "tl.broadcast_to(n, 1, 1, 1, 1, 1, 1)",
        "a block has at most 5 axes, got (1, 1, 1, 1, 1, 1)",
    ),
    (
        wrong_shapes.six_axes_by_join,
        "tl.join(tl.zeros((1, 2, 1, 2, 1), tl.float32), 1.0)",
        "join: a block has at most 5 axes, got (1, 2, 1, 2, 1, 2)",
    ),
    (
        wrong_shapes.too_many_lanes,
        "tl.arange(0, 2048)[:, None] * tl.arange(0, 1024)",
        "a block has at most 1048576 lanes, got (2048, 1024)",
    ),
    (
        wrong_shapes.too_many_lanes_broadcast,
        "tl.broadcast_to(n, 2**40, 2**40)",
        "a block has at most 1048576 lanes, got (1099511627776, 1099511627776)",
    ),
    (
        wrong_shapes.too_many_lanes_cat,
        "tl.cat(tl.arange(0, 2**20), tl.arange(0, 1))",
        "cat: a block has at most 1048576 lanes, got (1048577)",
    ),
    (
        wrong_shapes.size_zero,
        "tl.full((4, 0), 1.0, tl.float32)",
        "sizes are at least 1, got (4, 0)",
    ),
    (
        wrong_shapes.size_negative,
        "tl.reshape(tl.arange(0, 8), -2, -4)",
        "reshape: a block's sizes are at least 1, got (-2, -4)",
    ),
]


@pytest.mark.parametrize(
    ("fn", "underlined", "message"), MISTAKES, ids=[fn.__name__ for fn, _, _ in MISTAKES]
)
def test_mistake(fn: Kernel, underlined: str, message: str) -> None:
    error = launch(fn)
    assert message in error.message
    assert_points_at(error, fn, underlined)
