"""Which variables of a function its statements assign, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeAlias

# (line, end_line, col, end_col): a Place without its file.
Position: TypeAlias = tuple[int, int, int, int]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def position(node: ast.expr | ast.stmt | ast.arg | ast.excepthandler | ast.pattern) -> Position:
    line, column = node.lineno, node.col_offset
    end_line, end_column = node.end_lineno, node.end_col_offset
    return (line, end_line or line, column, end_column or 0)


class _Assigned(ast.NodeVisitor):
    """Does not enter functions and the scopes of comprehensions, whose variables are their own."""

    def __init__(self) -> None:
        self.found: dict[str, Position] = {}
        self._in_comprehension = False

    def _add(self, name: str, node: ast.stmt | ast.expr | ast.excepthandler | ast.pattern) -> None:
        self.found.pop(name, None)  # so that the order is that of the last assignments
        self.found[name] = position(node)

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load) and not self._in_comprehension:
            self._add(node.id, node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._add(node.target.id, node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for each in node.targets:
            self.visit(each)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        for each in (*node.body, *node.orelse):
            self.visit(each)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for each in (*node.decorator_list, *_defaults(node)):
            self.visit(each)
        self._add(node.name, node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for each in _defaults(node):
            self.visit(each)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._add(node.name, node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for each in node.names:
            self._add(each.asname or each.name.partition(".")[0], node)

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._add(node.name, node)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._add(node.name, node)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._add(node.rest, node)
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        outer = self._in_comprehension
        self._in_comprehension |= isinstance(node, _COMPREHENSIONS)
        super().generic_visit(node)
        self._in_comprehension = outer


def _defaults(node: Function) -> list[ast.expr]:
    return [each for each in (*node.args.defaults, *node.args.kw_defaults) if each is not None]


def assigned(nodes: Iterable[ast.AST]) -> dict[str, Position]:
    """The names that these assign or delete, each with the last place where they do."""
    visitor = _Assigned()
    for each in nodes:
        visitor.visit(each)
    return visitor.found


def parameters(node: Function) -> dict[str, Position]:
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += [each for each in (given.vararg, given.kwarg) if each is not None]
    return {each.arg: position(each) for each in every}


def own_nodes(nodes: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """These and all below them, but for what is in functions and classes that they define."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            pending += ast.iter_child_nodes(node)


def changed_by_calls(body: Iterable[ast.AST]) -> set[str]:
    """The variables of a function with this body that functions within declare as nonlocal."""
    found: set[str] = set()
    for node in own_nodes(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            declared = {
                name
                for each in own_nodes(node.body)
                if isinstance(each, ast.Nonlocal)
                for name in each.names
            }
            theirs = (assigned(node.body).keys() | parameters(node).keys()) - declared
            found |= declared | (changed_by_calls(node.body) - theirs)
        elif isinstance(node, ast.Lambda):
            found |= changed_by_calls([node.body]) - parameters(node).keys()
    return found


def mangled(name: str, private: str | None) -> str:
    """What Python makes of a name inside of the class `private`."""
    owner = (private or "").lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{owner}{name}" if owner and is_private else name
