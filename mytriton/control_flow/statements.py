"""Rewrites if, for, while, assert and try, in place: what they hold stays where it was.

An if becomes, with names that no source text can have::

    $1 = $control.if_(test, info)
    if $1.enters_body():
        ...
        $1.leaves()
    if $1.enters_orelse():
        if $1.traced: x, y = $1.values(); if $1.some_unset: if x is $control.UNSET: del x; ...
        ...
        $1.leaves()
    if $1.traced: (as above)

where x and y are what it assigns. With a Python condition one of the arms is done; with a traced
one both are, one after the other, with the same values before, and `values` then gives merged ones.
A loop likewise asks its object for the values of variables where its body begins and after it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from mytriton.control_flow.expressions import Expressions
from mytriton.control_flow.jumps import lower_jumps
from mytriton.control_flow.names import (
    Position,
    assigned,
    changed_by_calls,
    mangled,
    own_nodes,
    parameters,
    position,
)
from mytriton.control_flow.nodes import CONTROL, at, attribute, call, control, load, unless

_DECLARATIONS = (ast.Nonlocal, ast.Global)
_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)


class Statements(Expressions):
    """Rewrites functions that stand in the class `private`, or in none."""

    def __init__(self, private: str | None) -> None:
        self._private = private
        self._temporaries = 0
        self._last: dict[str, Position] = {}  # where names were last assigned, so far
        self._changed_by_calls: set[str] = set()

    # --- functions and blocks --------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        for i, each in enumerate(node.decorator_list):
            node.decorator_list[i] = self.visit(each)
        self.visit(node.args)
        if any(isinstance(each, _SUSPENDS) for each in own_nodes(node.body)):
            return node
        outer = self._last, self._changed_by_calls, self._temporaries
        self._changed_by_calls = changed_by_calls(node.body)
        declarations = [each for each in own_nodes(node.body) if isinstance(each, _DECLARATIONS)]
        lower_jumps(node)
        self._last, self._temporaries = dict(parameters(node)), 0
        # Before what is made here assigns their variables.
        node.body = [*declarations, *self._block(node.body)]
        self._last, self._changed_by_calls, self._temporaries = outer
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal | ast.Global) -> ast.stmt:
        return at(ast.Pass(), node)

    visit_Global = visit_Nonlocal

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for node in block:
            names = assigned([node])
            made = self.visit(node)
            out += made if isinstance(made, list) else [made]
            self._last |= names
        return out

    def visit_With(self, node: ast.With) -> ast.With:
        node.items = [self.visit(each) for each in node.items]
        node.body = self._block(node.body)
        return node

    def visit_Match(self, node: ast.Match) -> ast.Match:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.guard = case.guard and self.visit(case.guard)
            case.body = self._block(case.body)
        return node

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        """Handlers begin with a check that no run-time branch or loop was left by the exception."""
        temporary = self._temporary()
        node.body = self._block(node.body)
        for handler in node.handlers:
            handler.type = handler.type and self.visit(handler.type)
            check = at(ast.Expr(control("caught", load(temporary))), handler)
            handler.body = [check, *self._block(handler.body)]
        node.orelse = self._block(node.orelse)
        node.finalbody = self._block(node.finalbody)
        return [self._set(temporary, control("depth"), node), node]

    def visit_TryStar(self, node: Any) -> list[ast.stmt]:
        return self.visit_Try(node)

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        text = ast.unparse(node.test)
        temporary = self._temporary()
        test = at(control("assertion", self.visit(node.test), ast.Constant(text)), node.test)
        message = [] if node.msg is None else [self.visit(node.msg)]
        raised = at(ast.Expr(call(temporary, "fail", *message)), node.test)
        body = [
            self._set(temporary, test, node),
            at(ast.If(call(temporary, "goes_on"), [raised], []), node.test),
        ]
        return [at(ast.If(load("__debug__"), body, []), node)]

    # --- if --------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        body_names, orelse_names = assigned(node.body), assigned(node.orelse)
        names = self._names([*node.body, *node.orelse], body_names | orelse_names)
        info = (
            position(node.test),
            tuple(
                (
                    mangled(each, self._private),
                    self._last.get(each),
                    body_names.get(each),
                    orelse_names.get(each),
                )
                for each in names
            ),
            getattr(node, "ends_function", False),
        )
        where = node.test
        test = self.visit(node.test)
        before = dict(self._last)
        body = self._block(node.body)
        self._last = before
        orelse = self._block(node.orelse)
        it = self._temporary()
        leaves = ast.Expr(call(it, "leaves"))
        return [
            self._set(it, control("if_", test, _constant(info)), where),
            at(ast.If(call(it, "enters_body"), [*body, leaves], []), where),
            at(
                ast.If(
                    call(it, "enters_orelse"),
                    [*self._values(it, names, where), *orelse, leaves],
                    [],
                ),
                where,
            ),
            *self._values(it, names, where),
        ]

    # --- loops -----------------------------------------------------------------------------------

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        flags: tuple[str, ...] = node.flags  # type: ignore[attr-defined]
        it, item = self._temporary(), self._temporary()
        targets = assigned([node.target])
        names = self._names([node.target, *node.body], assigned([node.target, *node.body]))
        info = self._loop_info(node, node.iter, names, targets, flags)
        iterable = self.visit(node.iter)
        body: list[ast.stmt] = [
            at(ast.Assign([node.target], load(item)), node.target),
            *node.body,
        ]
        if flags:  # an earlier round of a loop that Python iterates may have set them
            body = [unless(flags, body, node.target)]
        loop = ast.For(
            ast.Name(item, ast.Store()),
            load(it),
            [
                *self._values(it, names, node.iter),
                *self._block(body),
                at(ast.If(call(it, "ends"), [ast.Break()], []), node.iter),
            ],
            [],
        )
        return [
            self._set(it, control("for_", iterable, _constant(info)), node.iter),
            at(loop, node.iter),
            *self._values(it, names, node.iter),
        ]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        flags: tuple[str, ...] = node.flags  # type: ignore[attr-defined]
        it = self._temporary()
        names = self._names(node.body, assigned(node.body))
        where = node.test
        info = self._loop_info(node, where, names, {}, flags)
        test = node.test
        for flag in flags:
            test = at(ast.IfExp(load(flag), ast.Constant(False), test), where)
        holds = call(it, "holds", self.visit(test))
        body: list[ast.stmt] = [
            at(ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(False)), where)
            for flag in flags
        ]
        body += self._block(node.body)
        body.append(ast.Expr(call(it, "ends")))
        loop = ast.While(
            call(it, "begins"), [*self._values(it, names, where), ast.If(holds, body, [])], []
        )
        return [
            self._set(it, control("while_", _constant(info)), where),
            at(loop, where),
            *self._values(it, names, where),
        ]

    def _loop_info(
        self,
        node: ast.For | ast.While,
        where: ast.expr,
        names: Iterable[str],
        targets: Iterable[str],
        flags: tuple[str, ...],
    ) -> tuple[Any, ...]:
        inside = assigned([node.target, *node.body] if isinstance(node, ast.For) else node.body)
        places = tuple(
            (mangled(each, self._private), self._last.get(each), inside.get(each)) for each in names
        )
        return (
            position(where),
            places,
            tuple(mangled(each, self._private) for each in targets),
            flags,
        )

    # --- the parts of all of them ----------------------------------------------------------------

    def _names(self, nodes: list[Any], names: Iterable[str]) -> list[str]:
        """The variables that may have other values after `nodes`, which assign `names`."""
        found = dict.fromkeys(names)
        if any(isinstance(each, ast.Call) for each in own_nodes(nodes)):
            found |= dict.fromkeys(sorted(self._changed_by_calls))
        return list(found)

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"${self._temporaries}"

    def _set(self, name: str, value: ast.expr, where: ast.AST) -> ast.stmt:
        return at(ast.Assign([ast.Name(name, ast.Store())], value), where)

    def _values(self, it: str, names: list[str], where: ast.AST) -> list[ast.stmt]:
        """Gives the variables the values that `it` has for them, where it was traced."""
        if not names:
            return []
        targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in names]
        unset = attribute(CONTROL, "UNSET")
        deletes: list[ast.stmt] = [
            ast.If(
                ast.Compare(load(each), [ast.Is()], [unset]),
                [ast.Delete([ast.Name(each, ast.Del())])],
                [],
            )
            for each in names
        ]
        body: list[ast.stmt] = [
            ast.Assign([ast.Tuple(targets, ast.Store())], call(it, "values")),
            ast.If(attribute(it, "some_unset"), deletes, []),
        ]
        return [at(ast.If(attribute(it, "traced"), body, []), where)]


def _constant(value: tuple[Any, ...]) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]  # the compiler takes tuples too
