"""Finds functions in the text of their file."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from mytriton.control_flow.names import Function, own_nodes


@dataclass(frozen=True)
class Found:
    """The syntax tree of a function, the name of the class around it, if there is one, and the
    names that its module imports."""

    node: Function
    private: str | None
    imports: tuple[str, ...]

    def copy(self) -> Function:
        """A tree to change, without what is evaluated where the function is defined."""
        node = copy.deepcopy(self.node)
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            each.annotation = None
        for other in (node.args.vararg, node.args.kwarg):
            if other is not None:
                other.annotation = None
        node.args.defaults = [_nothing(each) for each in node.args.defaults]
        node.args.kw_defaults = [each and _nothing(each) for each in node.args.kw_defaults]
        if not isinstance(node, ast.Lambda):
            node.decorator_list = []
            node.returns = None
            if hasattr(node, "type_params"):
                node.type_params = []
        return node

    def has_assert(self) -> bool:
        return any(isinstance(each, ast.Assert) for each in ast.walk(self.node))


def _nothing(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Constant(None), node)


def candidates(text: str, code: CodeType) -> list[Found]:
    """The functions of its name that begin on its line."""
    return _functions(text).get((code.co_name, code.co_firstlineno), [])


@functools.lru_cache(16)
def _functions(text: str) -> dict[tuple[str, int], list[Found]]:
    found: dict[tuple[str, int], list[Found]] = {}
    try:
        module = ast.parse(text)
    except SyntaxError:
        return found
    imports = tuple(
        each.asname or each.name.partition(".")[0]
        for node in own_nodes([module])
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
        if each.name != "*"
    )
    for node, private in _walk(module, None):
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        lines = [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))]
        found.setdefault((name, min(lines)), []).append(Found(node, private, imports))
    return found


def _walk(node: ast.AST, private: str | None) -> Iterator[tuple[Function, str | None]]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, Function):
            yield each, private
        yield from _walk(each, each.name if isinstance(each, ast.ClassDef) else private)
