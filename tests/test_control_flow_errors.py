"""Branches and loops at run time that cannot be compiled: what is said, and where it points."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from refusals import refusal

import mytriton
import mytriton.language as tl

ITEMS = [1, 2]


def one_side(x, n):
    if n > 2:
        y = 1.0
    tl.store(x, y)


def other_side(x, n):
    if n > 2:
        pass
    else:
        y = 1.0
    tl.store(x, 2.0)
    tl.store(x, y + 1)


def two_types(x, n):
    y = 1
    if n > 2:
        y = 2.5
    tl.store(x, y)


def two_types_of_arms(x, n):
    if n > 2:
        y = tl.arange(0, 4)
    else:
        y = 3
    tl.store(x, y)


def none_or_number(x, n):
    y = None
    if n > 2:
        y = 1.0
    tl.store(x, y)


def two_texts(x, n):
    y = "a" if True else "c"
    if n > 2:
        y = "b"
    tl.store(x, len(y))


def tuples_of_two_lengths(x, n):
    y = 1, 2
    if n > 2:
        y = 1, 2, 3
    tl.store(x, y[0])


def only_in_loop(x, n):
    for i in range(n):
        y = i
    tl.store(x, y)


def variable_of_loop(x, n):
    for i in range(n):
        tl.store(x, i)
    tl.store(x, i + 1)


def two_types_in_loop(x, n):
    y = 0
    for i in range(n):
        y = y + 1.5 * i
    tl.store(x, y)


def none_in_loop(x, n):
    y = None
    while n > 1:
        y = n
        n -= 1
    tl.store(x, y)


def unset_in_loop(x, n):
    y = 1
    for _ in range(n):
        del y
    tl.store(x, 1.0)


def list_in_loop(x, n):
    found = []
    for i in range(n):
        found.append(i)
    tl.store(x, found[0])


def list_in_branch(x, n):
    found = {"a": 1}
    if n > 2:
        found["a"] = 2
    tl.store(x, found["a"])


def block_condition(x, n):
    if tl.arange(0, 4) < n:
        tl.store(x, 1.0)


def block_while(x, n):
    while tl.arange(0, 4) < n:
        tl.store(x, 1.0)


def pointer_condition(x, n):
    if x:
        tl.store(x, 1.0)


def block_choice(x, n):
    tl.store(x, 1.0 if tl.arange(0, 4) < n else 2.0)


def choice_of_two_types(x, n):
    tl.store(x, 1.0 if n > 2 else 2)


def choice_of_texts(x, n):
    tl.store(x, len("a" if n > 2 else "bc"))


def text_and_number(x, n):
    tl.store(x, n > 2 and "a")


def pointer_and_number(x, n):
    tl.store(x, not x)


def returns_two_types(n):
    if n > 2:
        return 1.0
    return 2


def calls_two_types(x, n):
    tl.store(x, returns_two_types(n))


def returns_sometimes(n):
    if n > 2:
        return n


def calls_sometimes(x, n):
    tl.store(x, returns_sometimes(n))


def step_of_zero(x, n):
    for i in range(0, n, 0):
        tl.store(x + i, 1.0)


def float_bound(x, n):
    for i in tl.range(0, 2.5):
        tl.store(x + i, 1.0)


def float_bound_at_run_time(x, n):
    for i in range(tl.load(x)):
        tl.store(x + i, 1.0)


def block_bound(x, n):
    for i in range(tl.arange(0, 4)):
        tl.store(x + i, 1.0)


def iterated_by_python(x, n):
    tl.store(x, len(list(range(n))))


def index_of_a_loop(x, n):
    for i in range(2):
        tl.store(x + i, ITEMS[i])


def wrong_option(x, n):
    for i in tl.range(0, n, num_stages="two"):
        tl.store(x + i, 1.0)


def wrong_switch(x, n):
    for i in tl.range(0, n, flatten=1):
        tl.store(x + i, 1.0)


def in_a_comprehension(x, n):
    tl.store(x, sum([each for each in ITEMS if n > each]))


def bool_of(x, n):
    tl.store(x, 1.0 if bool(n) else 2.0)


def condition_of_several_lines(x, n):
    if (
        n > 1
        and tl.arange(0, 4) < 2
    ):  # fmt: skip
        tl.store(x, 1.0)


def operand_of_several_lines(x, n):
    tl.store(x, (n > 1 and
                 "a"))  # fmt: skip


def caught_outside(x, n):
    try:
        if n > 2:
            raise ValueError
    except ValueError:
        pass
    tl.store(x, 1.0)


AT_RUN_TIME = "known only at run time"
# The kernel, what is underlined in its source, and what the message holds; {0} to {9} are lines of
# the kernel, counted from its first.
MISTAKES: list[tuple[Callable[..., Any], str, str]] = [
    (one_side, "y", "the variable 'y' has a value only on one side of the if at line {1}"),
    (other_side, "y", "only on one side of the if at line {1}, whose condition is " + AT_RUN_TIME),
    (two_types, "y", "'y' is f32 at line {3} and i32 at line {1}, and the condition at line {2}"),
    (two_types_of_arms, "y", "'y' is vector<4 x i32> at line {2} and i32 at line {4}, and the"),
    (none_or_number, "y", "'y' is f32 at line {3} and None at line {1}, and the condition at line"),
    (two_texts, "y", "is 'b' at line {3} and 'a' at line {1}, .*: only numbers and traced values"),
    (tuples_of_two_lengths, "y", "'y' is a tuple of 3 at line {3} and a tuple of 2 at line {1}"),
    (only_in_loop, "y", "the variable 'y' is set only inside the loop at line {1}, which may run"),
    (variable_of_loop, "i", "the variable 'i' is set only inside the loop at line {1}"),
    (two_types_in_loop, "y", r"'y' is i32 before the loop \(line {1}\) and f32 at the end of its"),
    (none_in_loop, "y", r"'y' is None before the loop \(line {1}\) and i32 at the end of its body"),
    (unset_in_loop, "y", r"has a value before the loop \(line {1}\), but not always at the end of"),
    (list_in_loop, "range(n)", "the list 'found' is changed in the loop at line {2}: Python runs"),
    (list_in_branch, "n > 2", "the dict 'found' is changed in the if at line {2}"),
    (
        block_condition,
        "tl.arange(0, 4) < n",
        r"if: the condition must be a scalar, got vector<4 x bool>; .* tl\.where",
    ),
    (block_while, "tl.arange(0, 4) < n", r"while: the condition must be a scalar, got vector<4"),
    (pointer_condition, "x", r"if: the condition must be a number, got pointer<fp32>"),
    (block_choice, "tl.arange(0, 4) < n", r"if else: the condition must be a scalar, got vector"),
    (choice_of_two_types, "n > 2", "and its values are f32 and i32: give both one type"),
    (choice_of_texts, "n > 2", "and its values are 'a' and 'bc': only numbers and traced values"),
    (text_and_number, 'n > 2 and "a"', "and: beside a traced value expected another, .*; got str"),
    (pointer_and_number, "not x", "not: expected a number or a condition, got pointer<fp32>"),
    (float_bound, "tl.range(0, 2.5)", "range: end must be an int, got float"),
    (step_of_zero, "range(0, n, 0)", "range: step must not be 0"),
    (float_bound_at_run_time, "range(tl.load(x))", "range: stop must be an int scalar, got f32"),
    (block_bound, "range(tl.arange(0, 4))", "stop must be an int scalar, got vector<4 x i32>"),
    (iterated_by_python, "list(range(n))", "only a for statement can go through it"),
    (index_of_a_loop, "ITEMS[i]", "a tl.constexpr, or the variable of a loop over tl.static_range"),
    (wrong_option, 'tl.range(0, n, num_stages="two")', "num_stages must be an int known at comp"),
    (wrong_switch, "tl.range(0, n, flatten=1)", "range: flatten must be True or False, got int"),
    (in_a_comprehension, "n > each", "has no Python value while the kernel is compiled"),
    (bool_of, "bool(n)", "has no Python value while the kernel is compiled; use tl.where"),
    (condition_of_several_lines, "n > 1", "if: the condition must be a scalar, got vector<4 x b"),
    (operand_of_several_lines, "n > 1 and", "and: beside a traced value expected another"),
    (caught_outside, "except ValueError:", "an exception left a branch or loop whose condition"),
]


def refused(fn: Callable[..., Any]) -> mytriton.CompileError:
    error = refusal(mytriton.CompileError, mytriton.jit(fn), torch.zeros(8), 3)
    assert isinstance(error, mytriton.CompileError)
    return error


def assert_says(error: mytriton.CompileError, fn: Callable[..., Any], message: str) -> None:
    first = fn.__code__.co_firstlineno
    pattern = message
    for offset in range(10):
        pattern = pattern.replace(f"{{{offset}}}", str(first + offset))
    assert pytest.RaisesExc(mytriton.CompileError, match=pattern).matches(error), error.message


@pytest.mark.parametrize(
    ("fn", "underlined", "message"), MISTAKES, ids=[fn.__name__ for fn, _, _ in MISTAKES]
)
def test_mistake(fn: Callable[..., Any], underlined: str, message: str) -> None:
    error = refused(fn)
    assert_says(error, fn, message)
    head, source, carets = str(error).split("\n")[:3]
    assert head.startswith(f"{__file__}:")
    assert source[carets.index("^") : carets.rindex("^") + 1] == underlined, str(error)
    assert source.strip() in inspect.getsource(fn)


def test_what_is_returned_has_one_type() -> None:
    error = refused(calls_two_types)
    first = returns_two_types.__code__.co_firstlineno
    assert error.message.startswith(
        f"the returned value is f32 at line {first + 2} and i32 at line {first + 3}, and the "
        f"condition at line {first + 1}, which is known only at run time, decides which"
    )
    error = refused(calls_sometimes)
    first = returns_sometimes.__code__.co_firstlineno
    assert f"the returned value is i32 at line {first + 2} and None at line" in error.message


def test_a_kernel_that_returns_a_value_at_run_time() -> None:
    def kernel(x, n):
        if n > 2:
            return n
        return n + 1

    error = refused(kernel)
    assert error.message == (
        "kernel: a kernel returns nothing, got tensor; store results through a pointer"
    )
    assert error.place is not None and error.place[1] == kernel.__code__.co_firstlineno + 2


def test_variables_that_are_not_used_may_differ() -> None:
    @mytriton.jit
    def kernel(x, n):
        y = 1
        if n > 2:
            y = "text"
            z = None
        else:
            z = 1
        y = 3.0
        for i in range(n):
            z = tl.arange(0, 4) + i
        i = 2
        if n > 7:
            return
        y = z = None
        tl.store(x, i if y is z else 1)

    x = torch.zeros(1)
    kernel[1](x, 3)
    assert x.item() == 2
