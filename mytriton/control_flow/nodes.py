"""Builds the syntax trees of what a rewritten function does beside its own code."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeVar

# Names that no source text can have. CONTROL is a global variable, a runtime.Control.
CONTROL = "$control"
RETURNED = "$returned"
VALUE = "$value"

_Node = TypeVar("_Node", bound=ast.AST)


def at(node: _Node, where: Any) -> _Node:
    """The tree, whose nodes without a place get that of `where`.

    Of a place of several lines it is where it begins: a call of a method that spans lines is taken
    by Python to be at the method's name, as if that stood on the last of them.
    """
    one_line = where.lineno == where.end_lineno
    for each in ast.walk(node):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, where)
            if not one_line:
                each.end_lineno, each.end_col_offset = where.lineno, where.col_offset  # type: ignore[attr-defined]
    return node


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def call(holder: str, method: str, *arguments: ast.expr) -> ast.Call:
    """``holder.method(*arguments)``"""
    return ast.Call(attribute(holder, method), list(arguments), [])


def attribute(holder: str, name: str) -> ast.Attribute:
    return ast.Attribute(load(holder), name, ast.Load())


def control(method: str, *arguments: ast.expr) -> ast.Call:
    return call(CONTROL, method, *arguments)


def set_flag(name: str, value: bool, where: ast.AST) -> ast.stmt:
    return at(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), where)


def unless(flags: Iterable[str], body: list[ast.stmt], where: ast.AST) -> ast.If:
    """``if not (flag or flag or ...): body``"""
    names: list[ast.expr] = [load(each) for each in flags]
    test = names[0] if len(names) == 1 else ast.BoolOp(ast.Or(), names)
    return at(ast.If(ast.UnaryOp(ast.Not(), test), body, []), where)
