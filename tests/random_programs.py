"""Random Python functions of ints whose branches, loops and jumps can be known or not when traced.

They are text: executed by Python they say what a kernel of the same text has to compute.
"""

import random

NAMES = ("a", "b", "c")
# `n` and `m` are run-time arguments of kernels, `K` is known while they are compiled.
CONDITIONS = (
    "({x} & 3) == 1",
    "{x} < {y}",
    "{x} > n and {y} != 2",
    "not {x} > {y} or m == {z}",
    "0 <= {x} < 5",
    "K > 2",
    "K == 1 or {x} == n",
    "not (K and {x} > 3)",
)
VALUES = (
    "({x} + {y}) & 255",
    "{x} - 3",
    "({x} & 15) * 2 if {y} > {z} else {z} + 1",
    "K if K > 1 else {x}",
    "n - ({x} & 7)",
    "{z}",
)
LOOPS = (
    "for i{d} in range({x} & 3):",
    "for i{d} in range(3, n % 5, -1):",
    "for i{d} in range(K):",
    "for i{d} in static_range(3):",
    "for i{d} in (1, 2):",
)


class Programs:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.counters = 0

    def filled(self, choices: tuple[str, ...], depth: int = 0) -> str:
        names = [self.random.choice(NAMES) for _ in range(3)]
        text = self.random.choice(choices)
        return text.format(x=names[0], y=names[1], z=names[2], d=depth)

    def block(self, depth: int, in_loop: bool) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, in_loop)

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int, in_loop: bool) -> None:
        kind = self.random.random()
        if depth > 4 or kind < 0.35:
            self.add(depth, f"{self.random.choice(NAMES)} = {self.filled(VALUES)}")
        elif kind < 0.45:
            jumps = ["return {x}", "return {x} + {y}"]
            jumps += ["break", "continue"] * 2 if in_loop else []
            self.add(depth, f"if {self.filled(CONDITIONS)}:")
            self.add(depth + 1, self.filled(tuple(jumps)))
        elif kind < 0.7:
            self.add(depth, f"if {self.filled(CONDITIONS)}:")
            self.block(depth + 1, in_loop)
            if self.random.random() < 0.3:
                self.add(depth, f"elif {self.filled(CONDITIONS)}:")
                self.block(depth + 1, in_loop)
            if self.random.random() < 0.5:
                self.add(depth, "else:")
                self.block(depth + 1, in_loop)
        else:
            self.loop(depth)
            if self.random.random() < 0.3:
                self.add(depth, "else:")
                self.block(depth + 1, in_loop)

    def loop(self, depth: int) -> None:
        if self.random.random() < 0.7:
            self.add(depth, self.filled(LOOPS, depth))
        else:
            self.counters += 1
            counter = f"w{self.counters}"
            start = self.random.choice(["0", "n % 3"])
            self.add(depth, f"{counter} = {start}")
            condition = self.filled(CONDITIONS)
            self.add(depth, f"while {counter} < 3 and ({condition}):")
            self.add(depth + 1, f"{counter} += 1")
        self.block(depth + 1, in_loop=True)

    def function(self, name: str) -> str:
        self.lines = [f"def {name}(a, b, c, n, m, K):"]
        self.block(1, in_loop=False)
        self.add(1, "if m == 5:")
        self.block(2, in_loop=False)
        self.add(1, "return a * 100 + b * 10 + c")
        return "\n".join(self.lines) + "\n"


def function_text(seed: int, name: str) -> str:
    """A function of the ints a, b, c, n, m and K, which returns an int."""
    return Programs(seed).function(name)
