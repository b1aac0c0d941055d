"""What is known of a statement from its source: rewritten code hands it to the runtime."""

from __future__ import annotations

from typing import NamedTuple

from mytriton.control_flow.names import Position


class BranchName(NamedTuple):
    """A variable, and where it was last assigned before an if, in its body, and in its else."""

    name: str
    before: Position | None
    body: Position | None
    orelse: Position | None


class BranchInfo(NamedTuple):
    """`ends_function`: what is assigned in it is not used after it, but for a returned value."""

    at: Position
    names: tuple[BranchName, ...]
    ends_function: bool


class LoopName(NamedTuple):
    """A variable, and where it was last assigned before a loop and in its body."""

    name: str
    before: Position | None
    body: Position | None


class LoopInfo(NamedTuple):
    """`targets`: the variables of a for; `flags`: those that say that the loop was left."""

    at: Position
    names: tuple[LoopName, ...]
    targets: tuple[str, ...]
    flags: tuple[str, ...]
