"""Kernels of (x, n) with one mistake each: x points to floats, n is an int.

Each stores something first, to show that of a kernel that does not compile no part runs.
"""

from collections.abc import Callable
from typing import Any

import mytriton
import mytriton.language as tl

FACTOR = "two"


def undefined_name(x, n):
    tl.store(x, 5.0)
    tl.store(x, missing)  # noqa: F821


def undefined_function(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.softmaxx(n))


def wrong_shapes(x, n):
    tl.store(x, 5.0)
    mask = tl.arange(0, 4) < tl.arange(0, 8)
    tl.store(x + tl.arange(0, 4), 1.0, mask=mask)


def wrong_store_shapes(x, n):
    tl.store(x, 5.0)
    tl.store(x + tl.arange(0, 4), tl.arange(0, 8))


def block_to_scalar(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.arange(0, 8))


def branch(x, n):
    tl.store(x, 5.0)
    if n > 2:
        tl.store(x, 1.0)


def conjunction(x, n):
    tl.store(x, 5.0)
    tl.store(x, 1.0, mask=n > 1 and n < 3)


def chained(x, n):
    tl.store(x, 5.0)
    tl.store(x, 1.0, mask=1 < n < 3)


def negation(x, n):
    tl.store(x, 5.0)
    tl.store(x, 1.0, mask=not n)


def loop(x, n):
    tl.store(x, 5.0)
    while n > 0:
        tl.store(x, 1.0)


def counted_loop(x, n):
    tl.store(x, 5.0)
    for i in range(n):
        tl.store(x + i, 1.0)


def iteration(x, n):
    tl.store(x, 5.0)
    first, second = tl.arange(0, 2)
    tl.store(x, first + second)


def python_max(x, n):
    tl.store(x, 5.0)
    tl.store(x, max(n, 2))


def python_float(x, n):
    tl.store(x, 5.0)
    tl.store(x, float(n))


def load_of_a_number(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.load(n))


def store_to_a_number(x, n):
    tl.store(x, 5.0)
    tl.store(n, 1.0)


def store_of_a_pointer(x, n):
    tl.store(x, 5.0)
    tl.store(x, x + 1)


def other_without_mask(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.load(x, other=0.0))


def mask_is_int(x, n):
    tl.store(x, 5.0)
    tl.store(x, 1.0, mask=n)


def load_mask_is_float(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.load(x, mask=tl.load(x)))


def float_offset(x, n):
    tl.store(x, 5.0)
    tl.store(x + 0.5, 1.0)


def two_pointers(x, n):
    tl.store(x, 5.0)
    tl.store(x + x, 1.0)


def pointer_product(x, n):
    tl.store(x, 5.0)
    tl.store(x * 2, 1.0)


def minus_pointer(x, n):
    tl.store(x, 5.0)
    tl.store(1 - x, 1.0)


def float_remainder(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.load(x) % 2)


def float_floor_division(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.load(x) // 2)


def floor_division_by_float(x, n):
    tl.store(x, 5.0)
    tl.store(x, n // 2.0)


def bitwise_float(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.load(x) & 1)


def negated_bool(x, n):
    tl.store(x, 5.0)
    tl.store(x, -(n > 1))


def exp_of_int(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.exp(n))


def int_condition(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.where(n, 1.0, 2.0))


def sum_of_scalar(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.sum(n))


def sum_over_axis_1(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.sum(tl.arange(0, 4), axis=1))


def too_few_operands(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.maximum(n))


def unknown_operand(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.exp(n, fast=True))


def axis_3(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.program_id(3))


def traced_axis(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.num_programs(n))


def empty_range(x, n):
    tl.store(x, 5.0)
    tl.store(x + tl.arange(4, 4), 1.0)


def traced_range(x, n):
    tl.store(x, 5.0)
    tl.store(x + tl.arange(0, n), 1.0)


def float_range(x, n):
    tl.store(x, 5.0)
    tl.store(x + tl.arange(0, 4.0), 1.0)


def huge_range(x, n):
    tl.store(x, 5.0)
    tl.store(x + tl.arange(0, 2**20 + 1), 1.0)


def far_range(x, n):
    tl.store(x, 5.0)
    tl.store(x + tl.arange(2**31 - 4, 2**31), 1.0)


def wide_int(x, n):
    tl.store(x, 5.0)
    tl.store(x, n + 2**31)


def very_wide_int(x, n):
    tl.store(x, 5.0)
    tl.store(x, n - 2**100)


def text_operand(x, n):
    tl.store(x, 5.0)
    tl.store(x, n + FACTOR)


def none_operand(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.maximum(n, None))


def wrong_dtype(x, n):
    tl.store(x, 5.0)
    tl.store(x, n.to(float))


def cast_of_a_pointer(x, n):
    tl.store(x, 5.0)
    tl.store(x, x.to(tl.int32))


def division_by_zero(x, n):
    tl.store(x, 5.0)
    tl.store(x, 1 // 0)


def missing_key(x, n):
    tl.store(x, 5.0)
    tl.store(x, {"a": 1}["b"])


def wrong_attribute(x, n):
    tl.store(x, 5.0)
    tl.store(x, n.values)


def another_launch(x, n):
    tl.store(x, 5.0)
    mytriton.jit(undefined_name)[1](x, 3)


def tabs_and_umlauts(x, n):
    tl.store(x, 5.0)
    größe = "ä→β";	tl.store(x,	n & 0.5)  # noqa: E702, F841  # fmt: skip


# The kernel, what is underlined in its source, and what the message holds.
NO_VALUE = "has no Python value while the kernel is compiled"
MISTAKES: list[tuple[Callable[..., Any], str, str]] = [
    (undefined_name, "missing", "NameError: name 'missing' is not defined"),
    (undefined_function, "tl.softmaxx", "AttributeError: module 'mytriton.language' has no"),
    (
        wrong_shapes,
        "tl.arange(0, 4) < tl.arange(0, 8)",
        "incompatible shapes: vector<4 x i32>, vector<8 x i32>",
    ),
    (wrong_store_shapes, "tl.store(x + tl.arange(0, 4), tl.arange(0, 8))", "incompatible shapes"),
    (block_to_scalar, "tl.store(x, tl.arange(0, 8))", "a scalar pointer stores a scalar, got"),
    (branch, "n > 2", f"a traced value (bool) {NO_VALUE}; use tl.where"),
    (conjunction, "n > 1 and n < 3", NO_VALUE),
    (chained, "1 < n < 3", NO_VALUE),
    (negation, "not n", NO_VALUE),
    (loop, "n > 0", f"a traced value (bool) {NO_VALUE}"),
    (counted_loop, "range(n)", "an int known at compile time is needed here: a tl.constexpr"),
    (iteration, "first, second", "it cannot be iterated over or unpacked"),
    (python_max, "max(n, 2)", NO_VALUE),
    (python_float, "float(n)", "use .to(tl.float32)"),
    (load_of_a_number, "tl.load(n)", "load: expected a pointer, got i32"),
    (store_to_a_number, "tl.store(n, 1.0)", "store: expected a pointer, got i32"),
    (store_of_a_pointer, "tl.store(x, x + 1)", "store: the value must be a number, got ptr<f32>"),
    (other_without_mask, "tl.load(x, other=0.0)", "load: other is given without a mask"),
    (mask_is_int, "tl.store(x, 1.0, mask=n)", "store: mask must be bool, got i32"),
    (load_mask_is_float, "tl.load(x, mask=tl.load(x))", "load: mask must be bool, got f32"),
    (float_offset, "x + 0.5", "pointer offset must be i32, got f32"),
    (two_pointers, "x + x", "add cannot combine ptr<f32> and ptr<f32>"),
    (pointer_product, "x * 2", "mul requires f32 or i32 or bool, got ptr<f32> and i32"),
    (minus_pointer, "1 - x", "sub cannot combine i32 and ptr<f32>"),
    (float_remainder, "tl.load(x) % 2", "rem requires i32, got f32"),
    (float_floor_division, "tl.load(x) // 2", "// requires i32, got f32 and i32; use /"),
    (floor_division_by_float, "n // 2.0", "// requires i32, got i32 and f32; use /"),
    (bitwise_float, "tl.load(x) & 1", "bit_and requires i32 or bool, got f32"),
    (negated_bool, "-(n > 1)", "neg requires f32 or i32, got bool"),
    (exp_of_int, "tl.exp(n)", "exp requires f32, got i32"),
    (int_condition, "tl.where(n, 1.0, 2.0)", "condition must be bool, got i32"),
    (sum_of_scalar, "tl.sum(n)", "sum requires a block of rank 1, got i32"),
    (sum_over_axis_1, "tl.sum(tl.arange(0, 4), axis=1)", "axis must be 0"),
    (too_few_operands, "tl.maximum(n)", "maximum: expected (x, y), got (...)"),
    (unknown_operand, "tl.exp(n, fast=True)", "exp: expected (x), got (..., fast)"),
    (axis_3, "tl.program_id(3)", "program_id: axis must be 0, 1 or 2, got 3"),
    (traced_axis, "tl.num_programs(n)", "axis must be an int known at compile time"),
    (empty_range, "tl.arange(4, 4)", "arange(4, 4): expected end > start"),
    (traced_range, "tl.arange(0, n)", "arange: end must be an int known at compile time"),
    (float_range, "tl.arange(0, 4.0)", "arange: end must be an int known at compile time"),
    (huge_range, "tl.arange(0, 2**20 + 1)", "a block has at most 1048576 lanes"),
    (far_range, "tl.arange(2**31 - 4, 2**31)", "the bounds must fit in 32 bits"),
    (wide_int, "n + 2**31", "an int in a kernel must fit in 32 bits, got 2147483648"),
    (very_wide_int, "n - 2**100", f"an int in a kernel must fit in 32 bits, got {2**100}"),
    (text_operand, "n + FACTOR", "add: expected a traced value or a Python number, got str"),
    (none_operand, "tl.maximum(n, None)", "expected a traced value or a Python number, got None"),
    (wrong_dtype, "n.to(float)", "cast: expected a dtype such as tl.float32, got <class 'float'>"),
    (cast_of_a_pointer, "x.to(tl.int32)", "cannot cast ptr<f32> to i32"),
    (division_by_zero, "1 // 0", "ZeroDivisionError: "),
    (missing_key, '{"a": 1}["b"]', "KeyError: 'b'"),
    (wrong_attribute, "n.values", "AttributeError: "),
    (another_launch, "mytriton.jit(undefined_name)[1](x, 3)", "cannot be launched inside another"),
    (tabs_and_umlauts, "n & 0.5", "bit_and requires i32 or bool, got"),
]
