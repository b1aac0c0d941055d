"""Rewrites ``and``, ``or``, ``not``, chained comparisons and conditional expressions.

Of Python values they do what they always do; where an operand turns out to be traced, the runtime
makes an operation or a branch of it.
"""

from __future__ import annotations

import ast

from mytriton.control_flow.names import assigned
from mytriton.control_flow.nodes import CONTROL, at, attribute, control


def _guarded(go_on: str, value: ast.expr, otherwise: ast.expr | None = None) -> ast.IfExp:
    skipped = otherwise or attribute(CONTROL, "SKIPPED")
    return ast.IfExp(control(go_on), value, skipped)


class Expressions(ast.NodeTransformer):
    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        word = "and" if isinstance(node.op, ast.And) else "or"
        result: ast.expr
        result, *others = (self.visit(each) for each in node.values)
        for each in others:
            first = control("first", result)
            result = control(f"{word}_", first, _guarded(f"goes_on_{word}", each))
        return at(result, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return at(control("not_", node.operand), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return at(self._chain(node.left, node.ops, node.comparators), node)

    def _chain(self, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr]) -> ast.expr:
        if len(ops) == 1:
            return ast.Compare(left, ops, comparators)
        first = ast.Compare(left, ops[:1], [control("keep", comparators[0])])
        others = self._chain(control("kept"), ops[1:], comparators[1:])
        skipped = control("dropped")
        return control("and_", control("first", first), _guarded("goes_on_and", others, skipped))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        # A variable that an arm assigns would have to be merged as that of a statement is.
        plain = bool(assigned([node.body, node.orelse]))
        self.generic_visit(node)
        if plain:
            return node
        enters = at(control("enters", node.test), node.test)
        skipped = attribute(CONTROL, "SKIPPED")
        body = ast.IfExp(enters, node.body, skipped)
        return at(control("choose", body, _guarded("enters_other", node.orelse)), node)
