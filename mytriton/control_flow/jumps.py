"""Replaces return, break and continue by flags, so that where a body ends is where it is left.

What jumps is first put where it needs no flag: after ``if c: return`` the rest of the block goes
into the else, and a jump that leads to where its block ends anyway is dropped. Else it sets a
variable, which is a Python bool until branches at run time merge it; what follows in its blocks is
done only while that is false.

Attributes tell the rewriting of statements more: ``loop.flags``, the names of those that leave it,
and ``branch.ends_function``, whether nothing but a return follows.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from typing import Any

from mytriton.control_flow.names import assigned, own_nodes
from mytriton.control_flow.nodes import RETURNED, VALUE, at, load, set_flag, unless

_Kinds = frozenset[str]
_JUMPS = {ast.Return: "return", ast.Break: "break", ast.Continue: "continue"}


class Unsupported(Exception):
    """A jump that cannot be replaced."""


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _blocks(node: ast.AST) -> Iterable[list[ast.stmt]]:
    """The blocks of statements in a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block
    for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield each.body


def _jumps_out(nodes: Iterable[ast.stmt]) -> _Kinds:
    """The kinds of jumps in these that lead out of them."""
    found: _Kinds = frozenset()
    for node in nodes:
        if type(node) in _JUMPS:
            found |= {_JUMPS[type(node)]}
        elif isinstance(node, ast.For | ast.While):
            found |= (_jumps_out(node.body) & {"return"}) | _jumps_out(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in _blocks(node):
                found |= _jumps_out(block)
    return found


def _always_jumps(block: Sequence[ast.stmt]) -> bool:
    for node in block:
        if type(node) in _JUMPS:
            return True
        if isinstance(node, ast.If) and _always_jumps(node.body) and _always_jumps(node.orelse):
            return True
        if isinstance(node, ast.With) and _always_jumps(node.body):
            return True
    return False


class _Loop:
    def __init__(self, number: int) -> None:
        self.broken = f"$broken{number}"
        self.test = f"$test{number}"  # what the condition was, where that assigns variables
        self.continued = f"$continued{number}"
        self.used: set[str] = set()


class _Lowering:
    def __init__(self, function: ast.FunctionDef) -> None:
        self._function = function
        returns = [each for each in own_nodes(function.body) if isinstance(each, ast.Return)]
        self._keeps_return = returns in ([], [function.body[-1]])
        self._has_value = not all(_is_none(each.value) for each in returns)
        self._dead: dict[str, object] = {}
        self._loops = 0
        self._uses_returned = False

    def run(self) -> None:
        function = self._function
        body = function.body
        last = body[-1]
        if not self._keeps_return and self._has_value and not _always_jumps(body):
            body = [*body, at(ast.Return(ast.Constant(None)), last)]
        body = self._block(body, frozenset({"return"}), None)
        if self._uses_returned:
            body.insert(0, set_flag(RETURNED, False, body[0]))
        if not self._keeps_return and self._has_value:
            body.append(at(ast.Return(load(VALUE)), last))
        if self._dead:  # they stay local variables
            targets: list[ast.expr] = [ast.Name(each, ast.Store()) for each in self._dead]
            unset = ast.Assign(targets, ast.Constant(None))
            body.append(at(ast.If(ast.Constant(False), [unset], []), last))
        function.body = body

    def _drop(self, dead: list[ast.stmt]) -> None:
        self._dead |= assigned(dead)

    def _block(self, block: list[ast.stmt], tail: _Kinds, loop: _Loop | None) -> list[ast.stmt]:
        """The block; jumps of the kinds in `tail` lead to where it ends."""
        out: list[ast.stmt] = []
        for i, node in enumerate(block):
            rest = block[i + 1 :]
            if type(node) in _JUMPS:
                out += self._jump(node, tail, loop)
                self._drop(rest)
                break
            kinds = _jumps_out([node])
            if isinstance(node, ast.For | ast.While):
                kinds = _jumps_out(node.body) & {"return"}
                made, after = self._loop(node)
                out += made
                if after:
                    rest = [*after, *rest]
                    out += self._rest(rest, kinds, tail, loop, node)
                    break
            elif isinstance(node, ast.If):
                rest = self._clean(node, rest) if kinds else rest
                node.ends_function = not rest and "return" in tail  # type: ignore[attr-defined]
                self._compound(node, tail if not rest else frozenset(), loop)
                out.append(node)
            else:
                self._compound(node, tail if not rest else frozenset(), loop)
                out.append(node)
            if not rest:
                break
            if kinds:
                out += self._rest(rest, kinds, tail, loop, node)
                break
        return out or [at(ast.Pass(), block[0] if block else self._function)]

    def _clean(self, node: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
        """Moves the rest of the block into the arm that does not jump away from it."""
        if rest and _always_jumps(node.body):
            if _always_jumps(node.orelse):
                self._drop(rest)
            else:
                node.orelse = [*node.orelse, *rest]
            return []
        if rest and node.orelse and _always_jumps(node.orelse):
            node.body = [*node.body, *rest]
            return []
        return rest

    def _rest(
        self,
        rest: list[ast.stmt],
        kinds: _Kinds,
        tail: _Kinds,
        loop: _Loop | None,
        where: ast.stmt,
    ) -> list[ast.stmt]:
        done = self._block(rest, tail, loop)
        return [unless(self._flags(kinds, loop), done, where)] if kinds else done

    def _flags(self, kinds: _Kinds, loop: _Loop | None) -> list[str]:
        flags = [RETURNED] if "return" in kinds else []
        if loop is not None:
            names = {loop.broken: "break", loop.continued: "continue"}
            flags += [each for each, kind in names.items() if kind in kinds and each in loop.used]
        return flags

    def _jump(self, node: ast.stmt, tail: _Kinds, loop: _Loop | None) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        if isinstance(node, ast.Return):
            if self._keeps_return:
                return [node]
            if self._has_value:
                value = node.value or ast.Constant(None)
                out.append(at(ast.Assign([ast.Name(VALUE, ast.Store())], value), node))
                ast.copy_location(out[0].targets[0], node)  # type: ignore[attr-defined]
            flag = None if "return" in tail else RETURNED
            self._uses_returned |= flag is not None
        else:
            assert loop is not None
            flag = loop.broken
            if isinstance(node, ast.Continue):
                flag = None if "continue" in tail else loop.continued
            loop.used |= {flag} if flag else set()
        if flag is not None:
            out.append(set_flag(flag, True, node))
        return out or [at(ast.Pass(), node)]

    def _compound(self, node: ast.stmt, tail: _Kinds, loop: _Loop | None) -> None:
        """Lowers the blocks in a statement that is no loop."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            self._try(node, tail, loop)
            return
        for name in ("body", "orelse"):
            if getattr(node, name, None):
                setattr(node, name, self._block(getattr(node, name), tail, loop))
        for case in getattr(node, "cases", ()):
            case.body = self._block(case.body, tail, loop)

    def _try(self, node: Any, tail: _Kinds, loop: _Loop | None) -> None:
        if _jumps_out(node.finalbody):
            raise Unsupported
        kinds = _jumps_out(node.body)
        node.body = self._block(node.body, frozenset() if node.orelse else tail, loop)
        for handler in node.handlers:
            handler.body = self._block(handler.body, tail, loop)
        if node.orelse:
            node.orelse = self._rest(node.orelse, kinds, tail, loop, node)
        if node.finalbody:
            node.finalbody = self._block(node.finalbody, frozenset(), loop)

    def _loop(self, node: ast.For | ast.While) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """The loop, with what precedes it; and what of its else is to be done after it."""
        self._loops += 1
        mine = _Loop(self._loops)
        returns = "return" in _jumps_out(node.body)
        body = self._block(node.body, frozenset({"continue"}), mine)
        if mine.continued in mine.used:
            body.insert(0, set_flag(mine.continued, False, node))
        own = [mine.broken] if mine.broken in mine.used else []
        flags = (*own, *([RETURNED] if returns else []))
        before = [set_flag(each, False, node) for each in own]
        if isinstance(node, ast.While) and assigned([node.test]):
            # It is evaluated once before the loop, so what it assigns has a value from then on.
            before.append(self._tested(mine, copy.deepcopy(node.test)))
            again = [self._tested(mine, node.test)]
            body += [unless(flags, again, node.test)] if flags else again
            node.test = at(load(mine.test), node.test)
        node.body = body
        node.flags = flags  # type: ignore[union-attr]
        after = node.orelse
        node.orelse = []
        if after and own:
            after = [unless(own, after, node)]
        return [*before, node], after

    def _tested(self, loop: _Loop, test: ast.expr) -> ast.stmt:
        return at(ast.Assign([ast.Name(loop.test, ast.Store())], test), test)


def lower_jumps(function: ast.FunctionDef) -> None:
    """In place; loops get an attribute `flags` and lose their else. Functions that are defined
    within are not entered. Raises Unsupported."""
    _Lowering(function).run()
