"""Random structured programs: the text of a kernel that plain Python can run as well.

Variables: ints i0, i1, ... that stay in 0..4095, floats f0, f1, ... that stay multiples of 0.5 in
-1024..1024, and blocks of ints b0, b1, ...: within these bounds float32, int32 and Python's numbers
agree to the bit. `p` is the program's index and `n` an argument, both ints; a program in plain
Python takes NumPy arrays for blocks.
"""

import random

INTS, FLOATS, BLOCKS = ("i0", "i1", "i2"), ("f0", "f1"), ("b0", "b1")
LANES = 8
RESULTS = len(INTS) + len(FLOATS)

HEADER = """\
import mytriton
import mytriton.language as tl

{helpers}
@mytriton.jit
def kernel(out, blocks, n):
    p = tl.program_id(0)
    lanes = tl.arange(0, {lanes})
    i0, i1, i2, f0, f1, b0, b1 = program(p, lanes, n)
    tl.store(out + p * {results}, i0)
    tl.store(out + p * {results} + 1, i1)
    tl.store(out + p * {results} + 2, i2)
    tl.store(out + p * {results} + 3, f0)
    tl.store(out + p * {results} + 4, f1)
    tl.store(blocks + p * {twice} + lanes, b0)
    tl.store(blocks + p * {twice} + {lanes} + lanes, b1)
"""


class Program:
    """Writes one program: `text` is a module with `kernel`, and `program`, which Python can run."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._loops = 0
        self._budget = 22  # statements
        helper = self._function("helper(i0, f0, n)", self._helper)
        self._lines = []
        self._budget = 30
        program = self._function("program(p, lanes, n)", self._program)
        self.text = HEADER.format(
            helpers=f"{helper}\n\n{program}\n", lanes=LANES, twice=2 * LANES, results=RESULTS
        )

    def _function(self, signature: str, body) -> str:
        self._put(0, f"def {signature}:")
        body()
        return "\n".join(self._lines) + "\n"

    def _put(self, depth: int, line: str) -> None:
        self._lines.append("    " * depth + line)

    def _choose(self, *choices):
        return self._random.choice(choices)

    # --- functions -------------------------------------------------------------------------------

    def _helper(self) -> None:
        """Takes an int and a float and gives an int and a float, from several returns."""
        self._names = {"int": ["i0"], "float": ["f0"], "block": []}
        self._result = lambda: f"{self._int(1)}, {self._float(1)}"
        self._calls = False
        self._put(1, "i1 = 0")
        self._names["int"].append("i1")
        self._block(1, 3, loop=None)
        self._put(1, f"return {self._result()}")

    def _program(self) -> None:
        self._names = {"int": list(INTS), "float": list(FLOATS), "block": list(BLOCKS)}
        self._result = lambda: ", ".join((*INTS, *FLOATS, *BLOCKS))
        self._calls = True
        self._put(1, "i0, i1, i2, f0, f1 = 1, p & 15, n, 0.5, -2.0")
        self._put(1, "b0, b1 = lanes, lanes * 3 + p & 4095")
        self._block(1, 6, loop=None)
        self._put(1, f"return {self._result()}")

    # --- statements ------------------------------------------------------------------------------

    def _block(self, depth: int, most: int, loop: str | None) -> None:
        for _ in range(self._random.randint(1, most)):
            self._statement(depth, loop)
        self._budget -= 1

    def _statement(self, depth: int, loop: str | None) -> None:
        self._budget -= 1
        deep = depth > 4 or self._budget < 0
        kind = self._choose("assign", "assign", *(() if deep else ("if", "if", "for", "while")),
                            *(("call",) if self._calls else ()), "jump")  # fmt: skip
        getattr(self, "_" + kind)(depth, loop)

    def _assign(self, depth: int, loop: str | None) -> None:
        kind = self._choose(*(each for each in self._names if self._names[each]))
        name = self._choose(*self._names[kind])
        if kind == "int":
            self._put(depth, f"{name} = {self._int(2)} & 4095")
        elif kind == "float":
            self._put(depth, f"{name} = {self._float(2)}")
        else:
            self._put(depth, f"{name} = {self._block_value()} & 4095")

    def _call(self, depth: int, loop: str | None) -> None:
        i, f = self._choose(*self._names["int"]), self._choose(*self._names["float"])
        self._put(depth, f"{i}, {f} = helper({self._int(1)} & 4095, {self._float(1)}, n)")
        self._put(depth, f"{i} = {i} & 4095")

    def _if(self, depth: int, loop: str | None) -> None:
        self._put(depth, f"if {self._condition(2)}:")
        self._block(depth + 1, 3, loop)
        if self._random.random() < 0.3:
            self._put(depth, f"elif {self._condition(1)}:")
            self._block(depth + 1, 2, loop)
        if self._random.random() < 0.5:
            self._put(depth, "else:")
            self._block(depth + 1, 3, loop)

    def _for(self, depth: int, loop: str | None) -> None:
        self._loops += 1
        name = f"k{self._loops}"
        small = f"({self._int(1)} & 7)"
        bounds = self._choose(
            small,
            f"{small}, {small} + 3",
            f"{small}, -1, -{self._choose(1, 2)}",
            f"0, 9, {self._choose(1, 2, 4)}",
            "n & 3, n & 15, (n & 1) + 1",
        )
        self._put(depth, f"for {name} in range({bounds}):")
        self._names["int"].append(name)
        self._put(depth + 1, f"i0 = i0 + {name} & 4095")
        self._names["int"].remove(name)
        self._block(depth + 1, 3, "for")
        self._else(depth, loop)

    def _while(self, depth: int, loop: str | None) -> None:
        self._loops += 1
        name = f"w{self._loops}"
        self._put(depth, f"{name} = {self._int(1)} & 7")
        self._put(depth, f"while {name} > 0 and ({self._condition(1)}):")
        self._put(depth + 1, f"{name} -= {self._choose(1, 2)}")
        self._block(depth + 1, 3, "while")
        self._else(depth, loop)

    def _else(self, depth: int, loop: str | None) -> None:
        if self._random.random() < 0.15:
            self._put(depth, "else:")
            self._block(depth + 1, 2, loop)

    def _jump(self, depth: int, loop: str | None) -> None:
        if depth < 2 or self._random.random() < 0.3:
            return self._assign(depth, loop)
        kind = self._choose("return", *(("break", "continue") * 2 if loop else ()))
        self._put(depth, f"if {self._condition(1)}:")
        self._put(depth + 1, f"return {self._result()}" if kind == "return" else kind)

    # --- expressions -----------------------------------------------------------------------------

    def _int(self, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.3:
            return self._choose(*self._names["int"], "n", *map(str, (1, 2, 7, 100)))
        kind = self._choose("+", "-", "*", "^", "|", "max", "min", "if")
        a, b = self._int(depth - 1), self._int(depth - 1)
        if kind in ("max", "min"):
            return f"{kind}({a}, {b})"
        if kind == "if":
            return f"({a} if {self._condition(depth - 1)} else {b})"
        return f"({a} {kind} {b})" if kind != "*" else f"(({a} & 127) * {self._choose(3, 5)})"

    def _float(self, depth: int) -> str:
        if depth == 0 or self._random.random() < 0.3:
            return self._choose(*self._names["float"], "0.5", "-3.0", "16.0")
        a, b = self._float(depth - 1), self._float(depth - 1)
        kind = self._choose("+", "-", "max", "-max", "if")
        if kind == "max":
            return f"max(min({a} + {b}, 1024.0), -1024.0)"
        if kind == "-max":
            return f"max(min(-{a}, 512.0), -512.0)"
        if kind == "if":
            return f"({a} if {self._condition(depth - 1)} else {b})"
        return f"max(min({a} {kind} {b}, 1024.0), -1024.0)"

    def _block_value(self) -> str:
        name, other = self._choose(*BLOCKS), self._choose(*BLOCKS)
        return self._choose(
            f"{name} + {self._int(1)}", f"{name} ^ {other}", f"{name} - {other} * 2",
            f"{name} + lanes", f"({other} & {self._int(0)})", f"{name} * 3 + {other}",
        )  # fmt: skip

    def _condition(self, depth: int) -> str:
        if depth > 0 and self._random.random() < 0.4:
            a, b = self._condition(depth - 1), self._condition(depth - 1)
            return self._choose(f"({a} and {b})", f"({a} or {b})", f"not ({a})")
        if self._names["float"] and self._random.random() < 0.3:
            a = self._choose(*self._names["float"])
            return f"{a} {self._choose('<', '>=')} {self._float(0)}"
        a, b, c = self._choose(*self._names["int"]), self._int(0), self._int(0)
        return self._choose(
            f"{a} < {b}", f"{a} & 1 == {b} & 1", f"{a} >= {b}", f"{a} <= {b} < {c}", f"{a} & 3 != 0"
        )
