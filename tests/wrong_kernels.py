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


def iteration(x, n):
    tl.store(x, 5.0)
    first, second = tl.arange(0, 2)
    tl.store(x, first + second)


def python_max_of_one(x, n):
    tl.store(x, 5.0)
    tl.store(x, max(tl.arange(0, 4)))


def python_max_by_key(x, n):
    tl.store(x, 5.0)
    tl.store(x, max(n, 2, key=abs))


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


def sum_of_scalar(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.sum(n))


def sum_over_axis_1(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.sum(tl.arange(0, 4), axis=1))


def too_few_operands(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.fmax(n))


def missing_operand(x, n):
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


def text_operand(x, n):
    tl.store(x, 5.0)
    tl.store(x, n + FACTOR)


def none_operand(x, n):
    tl.store(x, 5.0)
    tl.store(x, tl.maximum(n, None))


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
    (iteration, "first, second", "it cannot be iterated over or unpacked"),
    (python_max_of_one, "max(tl.arange(0, 4))", "it cannot be iterated over or unpacked"),
    (python_max_by_key, "max(n, 2, key=abs)", NO_VALUE),
    (python_float, "float(n)", "use .to(tl.float32)"),
    (load_of_a_number, "tl.load(n)", "load: expected a pointer, got i32"),
    (store_to_a_number, "tl.store(n, 1.0)", "store: expected a pointer, got i32"),
    (store_of_a_pointer, "tl.store(x, x + 1)", "store: the value must be a number, got ptr<f32>"),
    (other_without_mask, "tl.load(x, other=0.0)", "load: other is given without a mask"),
    (sum_of_scalar, "tl.sum(n)", "sum requires a block, got i32"),
    (sum_over_axis_1, "tl.sum(tl.arange(0, 4), axis=1)", "axis must be -1 to 0 for"),
    (too_few_operands, "tl.fmax(n)", "fmax: expected (x, y), got (...)"),
    (missing_operand, "tl.maximum(n)", "maximum() missing 1 required positional argument: 'y'"),
    (unknown_operand, "tl.exp(n, fast=True)", "exp: expected (x), got (..., fast)"),
    (axis_3, "tl.program_id(3)", "program_id: axis must be 0, 1 or 2, got 3"),
    (traced_axis, "tl.num_programs(n)", "axis must be an int known at compile time"),
    (empty_range, "tl.arange(4, 4)", "arange(4, 4): expected end > start"),
    (traced_range, "tl.arange(0, n)", "arange: end must be an int known at compile time"),
    (float_range, "tl.arange(0, 4.0)", "arange: end must be an int known at compile time"),
    (huge_range, "tl.arange(0, 2**20 + 1)", "a block has at most 1048576 lanes"),
    (far_range, "tl.arange(2**31 - 4, 2**31)", "the bounds must fit in 32 bits"),
    (text_operand, "n + FACTOR", "add: expected a traced value or a Python number, got str"),
    (none_operand, "tl.maximum(n, None)", "expected a traced value or a Python number, got None"),
    (division_by_zero, "1 // 0", "ZeroDivisionError: "),
    (missing_key, '{"a": 1}["b"]', "KeyError: 'b'"),
    (wrong_attribute, "n.values", "AttributeError: "),
    (another_launch, "mytriton.jit(undefined_name)[1](x, 3)", "cannot be launched inside another"),
    (tabs_and_umlauts, "n & 0.5", "bit_and requires int or bool, got f32"),
]
