"""Random branches and loops over two arrays in CUDA text, run on the CPU.

Each kernel is written as SSA and, beside it, as what numpy does for its whole block. The text must
agree with numpy, and no access may race with another: no barrier is missing.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from cuda_on_cpu.runner import CudaText

from mytriton import _C

WIDTH = 64
SIZE = WIDTH + 8
Env = dict[str, Any]  # name of a value or an array -> what it holds
Steps = list[Callable[[Env], None]]


class RandomKernel:
    """The lines of a kernel and, for each, what it does. Values are i32 and wrap."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.lines: list[str] = []
        self.depth = 1
        self.blocks = ["%0"]  # those that can be used
        self.scalars = ["n"]
        self.steps: Steps = []
        self.lanes = self.define(f"arange {{start=0, end={WIDTH}}}", True, lambda env: lanes())
        for _ in range(5):
            self.statement(3)
        text = "\n".join(self.lines)
        layout = " num_warps=1" if seed % 2 else ""  # two lanes a thread, or one
        self.source = f"kernel k(x: ptr<i32>, y: ptr<i32>, n: i32){layout} {{\n{text}\n}}"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self) -> str:
        self.count += 1
        return f"%{self.count - 1}"

    def define(self, text: str, is_block: bool, value: Callable[[Env], Any]) -> str:
        name = self.name()
        self.line(f"{name} = {text} : {type_of(is_block)}")
        self.steps.append(lambda env: env.__setitem__(name, value(env)))
        pool = self.blocks if is_block else self.scalars
        if name not in pool:
            pool.append(name)
        return name

    def block(self) -> str:
        return self.random.choice(self.blocks[-4:])

    def scalar(self) -> str:
        return self.random.choice(self.scalars[-4:])

    # --- statements ------------------------------------------------------------------------------

    def statement(self, depth: int) -> None:
        simple = [self.load, self.store, self.scalar_load, self.scalar_store, self.add]
        simple += [self.load, self.store, self.reduce, self.atomic]
        nested = [self.for_loop, self.if_else, self.while_loop]
        chosen = self.random.randrange(len(simple) + (2 * len(nested) if depth > 0 else 0))
        if chosen < len(simple):
            simple[chosen]()
        else:
            nested[chosen % len(nested)](depth - 1)

    def place(self) -> tuple[str, Callable[[Env], Any]]:
        """A block of distinct indices."""
        k, at = self.random.randrange(8), self.lanes
        kind = self.random.choice(["same", "same", "shifted", "reversed", "moving"])
        if kind == "same":
            return at, lambda env: lanes()
        if kind == "shifted":
            return self.define(
                f"add {at}, {k}", True, lambda env: lanes() + k
            ), lambda env: lanes() + k
        if kind == "reversed":
            name = self.define(f"sub {WIDTH - 1}, {at}", True, lambda env: lanes()[::-1].copy())
            return name, lambda env: lanes()[::-1]
        offset = self.small(self.scalar())
        name = self.define(f"add {at}, {offset}", True, lambda env: lanes() + env[offset])
        return name, lambda env: env[name]

    def small(self, scalar: str) -> str:
        return self.define(f"bit_and {scalar}, 7", False, lambda env: env[scalar] & np.int32(7))

    def pointer(self, array: str, at: str, is_block: bool) -> str:
        name = self.name()
        kind = f"vector<{WIDTH} x ptr<i32>>" if is_block else "ptr<i32>"
        self.line(f"{name} = addptr {array}, {at} : {kind}")
        return name

    def load(self) -> None:
        array = self.random.choice("xy")
        at, index = self.place()
        pointer = self.pointer(array, at, True)
        self.define(f"load {pointer}, none, none", True, lambda env: env[array][index(env)])

    def store(self) -> None:
        array, value = self.random.choice("xy"), self.block()
        at, index = self.place()
        self.line(f"store {self.pointer(array, at, True)}, {value}, none")
        self.steps.append(lambda env: env[array].__setitem__(index(env), env[value]))

    def scalar_load(self) -> None:
        array, at = self.random.choice("xy"), self.small(self.scalar())
        pointer = self.pointer(array, at, False)
        fresh = self.random.choice(["", " {volatile=1}"])
        self.define(f"load {pointer}, none, none{fresh}", False, lambda env: env[array][env[at]])

    def scalar_store(self) -> None:
        array, at, value = self.random.choice("xy"), self.small(self.scalar()), self.scalar()
        self.line(f"store {self.pointer(array, at, False)}, {value}, none")
        self.steps.append(lambda env: env[array].__setitem__(env[at], env[value]))

    def atomic(self) -> None:
        array, at, value = self.random.choice("xy"), self.small(self.scalar()), self.scalar()
        sem = self.random.choice(["relaxed", "acq_rel"])
        text = f"atomic_rmw {self.pointer(array, at, False)}, {value}, none {{rmw=add, sem={sem}}}"

        def update(env: Env) -> Any:
            old = env[array][env[at]]
            env[array][env[at]] = old + env[value]
            return old

        self.define(text, False, update)

    def add(self) -> None:
        a, b = self.block(), self.random.choice([self.block, self.scalar])()
        self.define(f"add {a}, {b}", True, lambda env: env[a] + env[b])

    def reduce(self) -> None:
        a = self.block()
        self.define(f"sum {a}", False, lambda env: env[a].sum(dtype=np.int32))

    # --- regions ---------------------------------------------------------------------------------

    def region(
        self, depth: int, first: Callable[[], None] = lambda: None
    ) -> tuple[Steps, str, str]:
        """What it does, and a block and a scalar that it gives."""
        outer = self.steps, list(self.blocks), list(self.scalars)
        inner: Steps = []
        self.steps = inner
        self.depth += 1
        first()
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)
        given = self.block(), self.scalar()
        self.line(f"yield {given[0]}, {given[1]}")
        self.depth -= 1
        self.steps, self.blocks, self.scalars = outer
        return inner, *given

    def results(self) -> tuple[str, str]:
        """Of an op that ends here."""
        names = self.name(), self.name()
        self.blocks.append(names[0])
        self.scalars.append(names[1])
        return names

    def if_else(self, depth: int) -> None:
        scalar = self.small(self.scalar())
        condition = self.name()
        self.line(f"{condition} = cmp_lt {scalar}, 4 : bool")
        head = len(self.lines)
        self.line("if")
        yes = self.region(depth)
        self.line("} else {")
        no = self.region(depth)
        self.line("}")
        block, number = self.results()
        types = f"{type_of(True)}, i32"
        self.lines[head] = "    " * self.depth + f"{block}, {number} = if {condition} : {types} {{"

        def run(env: Env) -> None:
            steps, *given = yes if env[scalar] < 4 else no
            run_all(steps, env)
            env[block], env[number] = env[given[0]], env[given[1]]

        self.steps.append(run)

    def carried(self) -> tuple[list[str], str]:
        """Names of a block and a scalar that a loop carries, and their initial values in text."""
        inits = self.block(), self.scalar()
        names = [self.name(), self.name()]
        text = f"iter_args({names[0]} = {inits[0]}, {names[1]} = {inits[1]}"
        return [*names, *inits], text

    def for_loop(self, depth: int) -> None:
        index, times = self.name(), self.random.randint(0, 3)
        step = self.random.choice([1, -1, 2])
        (block, number, *inits), text = self.carried()
        head = len(self.lines)
        self.line("for")

        def first() -> None:
            self.blocks.append(block)
            self.scalars += [number, index]

        steps, *given = self.region(depth, first)
        self.line("}")
        results = self.results()
        self.lines[head] = "    " * self.depth + (
            f"{results[0]}, {results[1]} = for {index} in range(0, {step * times}, {step}) "
            f"{text}) : {type_of(True)}, i32 {{"
        )

        def run(env: Env) -> None:
            env[block], env[number] = (env[each] for each in inits)
            for i in range(0, step * times, step):
                env[index] = np.int32(i)
                run_all(steps, env)
                env[block], env[number] = (env[each] for each in given)
            env[results[0]], env[results[1]] = env[block], env[number]

        self.steps.append(run)

    def while_loop(self, depth: int) -> None:
        """Its counter is carried too: a small number, one less in each round until it is 4."""
        (block, number, *inits), text = self.carried()
        counter, start = self.name(), self.small(self.scalar())
        head = len(self.lines)
        self.line("while")
        self.depth += 1
        outer = self.steps, list(self.blocks), list(self.scalars)
        before: Steps = []
        self.steps = before
        self.blocks.append(block)
        self.scalars += [number, counter]
        self.statement(0)
        condition, less = self.name(), self.name()
        self.line(f"{condition} = cmp_gt {counter}, 4 : bool")
        self.line(f"condition {condition}")
        self.line(f"{less} = sub {counter}, 1 : i32")
        self.depth -= 1
        steps, *given = self.region(depth)
        self.lines[-1] += f", {less}"
        self.line("}")
        self.steps, self.blocks, self.scalars = outer
        results = *self.results(), self.name()
        self.lines[head] = "    " * self.depth + (
            f"{', '.join(results)} = while {text}, {counter} = {start}) : "
            f"{type_of(True)}, i32, i32 {{"
        )

        def run(env: Env) -> None:
            env[block], env[number] = (env[each] for each in inits)
            env[counter] = env[start]
            while True:
                run_all(before, env)
                if env[counter] <= 4:
                    break
                run_all(steps, env)
                env[block], env[number] = (env[each] for each in given)
                env[counter] -= 1
            env[results[0]], env[results[1]] = env[block], env[number]

        self.steps.append(run)


def type_of(is_block: bool) -> str:
    return f"vector<{WIDTH} x i32>" if is_block else "i32"


def lanes() -> Any:
    return np.arange(WIDTH, dtype=np.int32)


def run_all(steps: Steps, env: Env) -> None:
    for step in steps:
        step(env)


KERNELS = [RandomKernel(seed) for seed in range(60)]
TEXTS = [
    CudaText.of_ssa(kernel.source, _C.pass_names() if i % 2 else [])
    for i, kernel in enumerate(KERNELS)
]


@pytest.mark.parametrize("seed", range(len(KERNELS)))
def test_random_regions(seed: int) -> None:
    for n in (seed, seed + 4):  # which take the other arm of the outermost branch
        x = torch.arange(SIZE, dtype=torch.int32) * 3 + n
        y = torch.arange(SIZE, dtype=torch.int32).flip(0) * 7
        env = {"x": x.numpy().copy(), "y": y.numpy().copy(), "n": np.int32(n)}
        with np.errstate(over="ignore"):
            run_all(KERNELS[seed].steps, env)
        got = TEXTS[seed].run((1,), x, y, n, orders=3)
        for name, tensor in zip("xy", got, strict=True):
            assert np.array_equal(tensor.numpy(), env[name]), KERNELS[seed].source
