"""Which functions are rewritten, and the code that is then executed in place of theirs."""

from __future__ import annotations
import __future__

import ast
import dis
import linecache
import weakref
from types import CodeType, FunctionType
from typing import Any

from mytriton.control_flow.find import Found, candidates
from mytriton.control_flow.jumps import Unsupported
from mytriton.control_flow.nodes import CONTROL, at
from mytriton.control_flow.statements import Statements
from mytriton.errors import CompileError

_JUMPS = {*dis.hasjrel, *dis.hasjabs, dis.opmap["UNARY_NOT"]}
_SUSPENDS = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag

# By the id of the code: equal codes of different files are different.
_known: dict[int, tuple[weakref.ref[CodeType], CodeType | None]] = {}


def needs_rewriting(code: CodeType) -> bool:
    """Whether anything in it, or in functions within, depends on a truth."""
    if not _JUMPS.isdisjoint(code.co_code[::2]):
        return True
    return any(needs_rewriting(each) for each in code.co_consts if isinstance(each, CodeType))


def code_of(fn: FunctionType) -> CodeType | None:
    """The code to execute for a function: its own, where nothing in it depends on a truth; None
    where its source text is needed and there is none.

    Raises CompileError where the text is another than the function was made from.
    """
    code = fn.__code__
    is_done = CONTROL in _names(code)
    if is_done or code.co_flags & _SUSPENDS or not needs_rewriting(code):
        return code
    key = id(code)
    if key not in _known:
        made = _rewritten(fn)
        _known[key] = (weakref.ref(code, lambda _: _known.pop(key, None)), made)
    return _known[key][1]


def _names(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found |= _names(each)
    return found


def _rewritten(fn: FunctionType) -> CodeType | None:
    code = fn.__code__
    found = _find(fn)
    if found is None:
        return None
    try:
        node = Statements(found.private).visit(found.copy())
    except Unsupported:
        return code
    made = _compile(node, found, code)
    made = _renamed(made, made.co_qualname, code.co_qualname)
    # Its first line stays that of `def`, from which all other lines are counted.
    return made.replace(co_name=code.co_name)


def _renamed(code: CodeType, old: str, new: str) -> CodeType:
    """The code, and that within, with qualified names that begin by `new` in place of `old`."""
    constants = tuple(
        _renamed(each, old, new) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_consts=constants, co_qualname=new + code.co_qualname.removeprefix(old))


def _find(fn: FunctionType) -> Found | None:
    """The function's syntax tree; None where there is no text of its file."""
    code = fn.__code__
    file = code.co_filename
    for _ in range(2):
        text = "".join(linecache.getlines(file, fn.__globals__))
        if not text:
            return None
        for each in candidates(text, code):
            if _is_of(each, fn):
                return each
        linecache.checkcache(file)  # what was read earlier may be older than the function
    raise CompileError(
        f"the source text of {fn.__name__} has changed since the function was loaded; branches and "
        "loops at run time need it: load the function again",
        (file, code.co_firstlineno, code.co_firstlineno, 0, 0),
    )


def _is_of(found: Found, fn: FunctionType) -> bool:
    """Whether the code that the tree gives is that of the function."""
    if "@pytest_ar" in fn.__globals__ and found.has_assert():  # pytest has rewritten these
        return True
    node = found.node
    made = _compile(found.copy(), found, fn.__code__)
    if isinstance(node, ast.Lambda):  # there may be several on the line
        ours, theirs = (list(each.co_positions()) for each in (made, fn.__code__))
        return _equal(made, fn.__code__) and ours == theirs
    return _equal(made, fn.__code__)


def _equal(a: CodeType, b: CodeType) -> bool:
    """Whether they do the same, wherever they stand."""
    if a.co_code != b.co_code or a.co_names != b.co_names or a.co_varnames != b.co_varnames:
        return False
    if a.co_freevars != b.co_freevars or a.co_cellvars != b.co_cellvars:
        return False
    if len(a.co_consts) != len(b.co_consts):
        return False
    return all(map(_equal_constants, a.co_consts, b.co_consts))


def _equal_constants(a: Any, b: Any) -> bool:
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return _equal(a, b)
    return bool(_constant_key(a) == _constant_key(b))


def _constant_key(value: Any) -> Any:
    if isinstance(value, tuple | frozenset):
        return (type(value), type(value)(_constant_key(each) for each in value))
    return (type(value), repr(value))


def _compile(node: Any, found: Found, code: CodeType) -> CodeType:
    """The code of a function, compiled where its free variables are those of a function around it,
    in a class of the name that its private names take, and in a module that imports what its own
    does: Python calls functions of imported modules by other code."""
    if not isinstance(node, ast.Lambda):
        node.name = "$function"  # its own name is a global variable, unless a closure has it
    body: list[ast.stmt] = [at(ast.Expr(node), node) if isinstance(node, ast.Lambda) else node]
    if found.private is not None:
        (owner,) = ast.parse(f"class {found.private}: pass").body
        assert isinstance(owner, ast.ClassDef)
        owner.body, body = body, [owner]
        if owner.name not in code.co_freevars:  # it is a global variable, as a function's name is
            body.insert(0, at(ast.Global([owner.name]), node))
    module = ast.parse("def factory(): pass")
    (factory,) = module.body
    assert isinstance(factory, ast.FunctionDef)
    factory.body = body
    factory.args.args = [at(ast.arg(each), node) for each in _outer(code)]
    imports = [ast.Import([ast.alias(each)]) for each in found.imports]
    module.body += [at(each, node) for each in imports]
    flags = code.co_flags & _FUTURE
    made: CodeType = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    for _ in range(2 if found.private is None else 3):
        made = next(each for each in made.co_consts if isinstance(each, CodeType))
    return made


def _outer(code: CodeType) -> list[str]:
    return [each for each in code.co_freevars if each != "__class__"]
