"""Wrong scans, sorts, gathers, histograms and functions that combine: CompileError says what was
expected, what came, and where."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import wrong_across
from test_compile_errors import assert_points_at, launch

POWER = "expected an axis of a power of two lanes, got 12 of <traced"
# Function of wrong_across.py -> the message. The place is the only call of `tl.` in it.
MESSAGES = {
    "scan_axis": "cumsum: axis must be -2 to 1 for block<4x8 x f32>, got 2",
    "scan_axis_at_run_time": "cumprod: axis must be an int known at compile time, got <traced i32>",
    "scan_of_scalar": "cumsum requires a block, got i32",
    "scan_of_pointers": "cumsum requires float or int or bool, got vector<8 x ptr<f32>>",
    "scan_reverse": "cumsum: reverse must be a bool, got <traced i32>",
    "sort_dim": "sort: dim must be -2 to 1, got -3",
    "sort_of_scalar": "sort: expected a block, got <traced i32>",
    "sort_of_pointers": "sort requires a block of numbers, got vector<8 x ptr<f32>>",
    "sort_descending": "sort: descending must be a bool, got 2",
    "squeezed_axis": "squeeze: expected two or more axes and size 1 of axis 0, got block<4x8 x",
    "squeezed_vector": "squeeze: expected two or more axes and size 1 of axis 0, got vector<1 x",
    "topk_count": "topk: k must be 1 to 8 for <traced vector<8 x i32>>, got 9",
    "topk_count_at_run_time": "topk: k must be an int known at compile time, got <traced i32>",
    "gather_axis": "gather: axis must be -1 to 0 for vector<8 x i32>, got 1",
    "gather_rank": "gather: index must have the sizes of src, but for axis 1; got block<4x8 x f32> "
    "and vector<8 x i32>",
    "gather_other_sizes": "index must have the sizes of src, but for axis 1; got block<4x8 x f32> "
    "and block<3x8 x i32>",
    "gather_index": "gather: index must be a block of ints, got vector<8 x f32>",
    "gather_scalar_index": "gather: index must be a block of ints, got i32",
    "histogram_bins": "histogram: num_bins must be an int known at compile time, got <traced i32>",
    "histogram_no_bins": "histogram: num_bins must be 1 to 1048576, got 0",
    "histogram_of_floats": "histogram requires a block of ints, got vector<8 x f32>",
    "histogram_mask": "histogram: mask must be bool, got vector<8 x i32>",
    "histogram_mask_shape": "mask must be bool and of the shape of the input, got vector<8 x i32> "
    "and vector<4 x bool>",
    "reduce_axis": "reduce: axis must be -2 to 1 for <traced block<4x8 x f32>>, got 2",
    "reduce_lanes": f"reduce: {POWER} vector<12 x i32>>",
    "reduce_all_lanes": f"reduce: {POWER} block<4x3 x f32>>",
    "reduce_of_scalar": "reduce: input: expected blocks of numbers, got <traced i32>",
    "reduce_of_two_shapes": "reduce: input: expected blocks of one shape, got <traced vector<8 x "
    "i32>> and <traced vector<4 x i32>>",
    "reduce_of_nothing": "reduce: input: expected a block or more, got ()",
    "reduce_keep_dims": "reduce: keep_dims must be a bool, got <traced i32>",
    "combine_is_no_function": "reduce: combine_fn: expected a function, got 'add'",
    "combine_takes_four": "reduce: combine_fn: expected a function of 2 values, got (a, b, c, d)",
    "combine_takes_two": "combine_fn: expected a function of 4 values, got (a, b)",
    "combine_gives_two": "reduce: combine_fn: expected 1 result, got 2",
    "combine_gives_one": "associative_scan: combine_fn: expected 2 results, got 1",
    "combine_gives_floats": "reduce: combine_fn: expected a result of int32, as its operand is; "
    "got <traced block<4x1 x f32>>",
    "combine_gives_wider_ints": "combine_fn: expected a result of int8, as its operand is; got",
    "combine_gives_nothing": "combine_fn: expected a traced value or a Python number, got None",
    "combine_gives_another_shape": "combine_fn: expected a result of one lane a lane; it was",
    "scan_lanes": f"associative_scan: {POWER} block<8x12 x f32>>",
    "scan_along": "associative_scan: axis must be an int known at compile time, got NoneType",
    "associative_reverse": "associative_scan: reverse must be a bool, got <traced i32>",
}


def test_each_mistake_has_a_message() -> None:
    kernels = [
        name
        for name, each in vars(wrong_across).items()
        if inspect.isfunction(each) and list(inspect.signature(each).parameters) == ["x", "n"]
    ]
    assert kernels == list(MESSAGES)


@pytest.mark.parametrize("name", MESSAGES)
def test_mistake(name: str) -> None:
    fn: Callable[..., Any] = getattr(wrong_across, name)
    (line,) = [each.strip() for each in inspect.getsource(fn).splitlines()[1:]]
    error = launch(fn)
    assert MESSAGES[name] in error.message
    assert_points_at(error, fn, line)
