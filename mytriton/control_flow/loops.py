"""For and while statements: run by Python, or as loops at run time."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mytriton.control_flow.branches import check_condition
from mytriton.control_flow.carried import Carried, needs_carrying
from mytriton.control_flow.info import LoopInfo
from mytriton.control_flow.ranges import LoopRange
from mytriton.control_flow.scope import Scope
from mytriton.control_flow.values import UNSET, Shape, describe, is_number
from mytriton.source import Place
from mytriton.traced import apply, current_trace, node_of, tensor, unwrap

if TYPE_CHECKING:
    from mytriton.control_flow.runtime import Control


class PythonFor:
    """A for through what Python iterates over."""

    traced = some_unset = False

    def __init__(self, items: Iterable[Any], info: LoopInfo) -> None:
        self._items = items
        self._info = info

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def ends(self) -> bool:
        """At the end of the body: whether the loop was left."""
        if not self._info.flags:
            return False
        names = sys._getframe(1).f_locals
        return any(names.get(each) is True for each in self._info.flags)


class _TracedLoop:
    """What traced loops have in common. A loop is traced again where it turns out to be of another
    kind than was assumed: then all that its tracing did so far is forgotten."""

    traced = True

    def __init__(self, control: Control, info: LoopInfo, before: Scope) -> None:
        self._control = control
        self._info = info
        self._before = before
        self._place = before.place(info.at)
        self._trace = current_trace("loop")
        self._mark = control.mark(self._trace)
        self._values: list[Any] = []
        self._forms: list[int] | None = None
        self._returned: Shape | None = None

    @property
    def some_unset(self) -> bool:
        return any(each is UNSET for each in self._values)

    def values(self) -> list[Any]:
        """Of the variables that the body assigns: where it begins, and after the loop."""
        return self._values

    def _again(self) -> None:
        self._control.rewind(self._trace, self._mark)

    def _finish(self, carried: Carried, counter: list[int], end: Scope, end_loop: Any) -> bool:
        """Ends the loop; whether that succeeded."""
        nodes = counter + carried.at_end(end)
        if needs_carrying(carried.returns):
            self._returned, self._forms = carried.returns, None
            self._again()
            return False
        results, self._forms = end_loop(nodes)
        if results is None:
            self._again()
            return False
        self._control.open_regions -= 1
        self._values = carried.outside(results[len(counter) :], end, self._control)
        return True


class TracedFor(_TracedLoop):
    """A for at run time. Where its body may break or return at run time, it is traced as a while
    that counts."""

    def __init__(self, control: Control, items: LoopRange, info: LoopInfo, before: Scope) -> None:
        super().__init__(control, info, before)
        self._bounds = [items.start, items.stop, items.step]
        self._containers = before.containers()
        self._left = False
        self._end: Scope | None = None

    def ends(self) -> bool:
        """At the end of the body."""
        self._end = Scope(sys._getframe(1))
        return False

    def __iter__(self) -> Iterator[tensor]:
        trace = self._trace
        index_type = self._index_type()
        dropped = set(self._dropped_targets(index_type))
        while True:
            flags = () if self._left else self._info.flags
            carried = Carried(trace, self._info, self._before, flags, dropped, self._returned)
            self._control.open_regions += 1
            if self._left:
                index, counter = self._begin_while(carried, index_type)
            else:
                start, stop, step = self._bound_nodes()
                forms = self._forms or [0] * len(carried.inits)
                index, arguments = trace.begin_for(
                    start, stop, step, carried.inits, forms, self._place
                )
                self._values, counter = carried.inside(arguments), []
            yield tensor(trace, index)
            assert self._end is not None, "the body ends"
            self._containers.check("the loop", self._place)
            if not self._left and self._was_left(self._end):
                self._left, self._forms = True, None
                self._again()
                continue
            end_loop = trace.end_while if self._left else trace.end_for
            if self._finish(carried, counter, self._end, end_loop):
                return

    def _was_left(self, end: Scope) -> bool:
        return any(end.get(each) is not False for each in self._info.flags)

    def _bound_nodes(self) -> list[int]:
        return [node_of(self._trace, each, self._place, "range") for each in self._bounds]

    def _index_type(self) -> str:
        """The type of the loop's variable, found by beginning a loop that is forgotten."""
        trace = self._trace
        start, stop, step = self._bound_nodes()
        index, _ = trace.begin_for(start, stop, step, [], [], self._place)
        found = trace.type(index)
        self._again()
        return found

    def _dropped_targets(self, index_type: str) -> Iterator[str]:
        """Targets whose values before the loop are of another type than those in it."""
        for each in self._info.targets:
            value = self._before.get(each)
            if value is not UNSET and describe(self._trace, value) != index_type:
                yield each

    def _begin_while(self, carried: Carried, index_type: str) -> tuple[int, list[int]]:
        """The loop's variable, and - as a list - the counter of the next round, as nodes."""
        trace, place = self._trace, self._place
        counter_type = "i64" if index_type in ("i32", "u32") else index_type  # so it cannot wrap
        start, stop, step = (
            trace.cast(each, counter_type, False, place) for each in self._bound_nodes()
        )
        forms = self._forms or [0] * (1 + len(carried.inits))
        counter, *arguments = trace.begin_while([start, *carried.inits], forms, place)
        self._values = carried.inside(arguments)
        now, end, by = (tensor(trace, each) for each in (counter, stop, step))
        goes_on = _in_range(now, end, by, self._bounds[2])
        for i, each in enumerate(self._info.names):
            if each.name in self._info.flags:
                goes_on = apply("bit_and", goes_on, apply("bit_not", self._values[i]))
                self._values[i] = False
        trace.condition(goes_on._node, place)
        following = trace.apply("add", [counter, step], place)
        return trace.cast(counter, index_type, False, place), [following]


def _in_range(counter: tensor, stop: tensor, step: tensor, given_step: Any) -> tensor:
    up, down = apply("cmp_lt", counter, stop), apply("cmp_gt", counter, stop)
    if not isinstance(given_step, tensor):
        return up if given_step > 0 else down
    rises, falls = apply("cmp_gt", step, 0), apply("cmp_lt", step, 0)
    return apply("bit_or", apply("bit_and", rises, up), apply("bit_and", falls, down))


class While:
    """A while: Python goes round as long as it knows the condition, and whether the loop was left;
    from the first round on where it does not, it is a loop at run time."""

    def __init__(self, control: Control, info: LoopInfo, place: Place) -> None:
        self._control = control
        self._info = info
        self._place = place
        self._before: Scope | None = None
        self._mark: Any = None
        self._loop: TracedWhile | None = None
        self._done = False

    @property
    def traced(self) -> bool:
        return self._loop is not None

    @property
    def some_unset(self) -> bool:
        return self._loop is not None and self._loop.some_unset

    def values(self) -> list[Any]:
        assert self._loop is not None, "asked only where it is traced"
        return self._loop.values()

    def begins(self) -> bool:
        """Before the condition: whether there is another round."""
        if self._loop is not None:
            return self._loop.begins()
        if not self._done:
            self._before = Scope(sys._getframe(1))
            self._mark = self._control.mark(current_trace("while"))
        return not self._done

    def holds(self, test: Any) -> bool:
        """Whether the body is to be done."""
        test = unwrap(test)
        if self._loop is not None:
            return self._loop.holds(test)
        if isinstance(test, tensor):
            check_condition("while", test, self._place)
            self._trace_it()
            return False
        self._done = not test
        return not self._done

    def ends(self) -> None:
        """At the end of the body."""
        end = Scope(sys._getframe(1))
        if self._loop is not None:
            self._loop.ends(end)
        elif any(isinstance(end.get(each), tensor) for each in self._info.flags):
            self._trace_it()

    def _trace_it(self) -> None:
        """Forgets this round, and begins with it a loop at run time."""
        assert self._before is not None
        self._loop = TracedWhile(self._control, self._info, self._before, self._mark)
        self._loop._again()


class TracedWhile(_TracedLoop):
    def __init__(self, control: Control, info: LoopInfo, before: Scope, mark: Any) -> None:
        super().__init__(control, info, before)
        self._mark = mark
        self._containers = before.containers()
        self._carried: Carried | None = None
        self._done = False

    def begins(self) -> bool:
        if self._done:
            return False
        self._carried = Carried(self._trace, self._info, self._before, (), (), self._returned)
        inits = self._carried.inits
        forms = self._forms or [0] * len(inits)
        arguments = self._trace.begin_while(inits, forms, self._place)
        self._control.open_regions += 1
        self._values = self._carried.inside(arguments)
        return True

    def holds(self, test: Any) -> bool:
        if isinstance(test, tensor):
            check_condition("while", test, self._place)
        node = node_of(self._trace, test if is_number(test) else bool(test), self._place, "while")
        self._trace.condition(node, self._place)
        return True

    def ends(self, end: Scope) -> None:
        assert self._carried is not None
        self._containers.check("the loop", self._place)
        self._done = self._finish(self._carried, [], end, self._trace.end_while)
