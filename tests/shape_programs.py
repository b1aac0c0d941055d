"""Random programs of shape ops, and what they give on NumPy's arrays; see shape_kernels.py.

A program is a tuple of steps, each of which adds a value to a list: ``(name, operands, argument)``,
operands being positions in the list. It begins with blocks that are loaded. Values have one element
type, what reductions give being cast back. Ints wrap; floats are whole, small, and never added, so
that every engine and NumPy agree to the bit.
"""

import math
import random
from typing import Any

import numpy as np

SIZES = (1, 1, 2, 2, 3, 4, 4, 5, 8, 16, 16, 17, 32, 64)
MOST_LANES, MOST_RANK = 4096, 5
OPERATORS = {
    "int": ("add", "sub", "mul", "xor", "maximum"),
    "bool": ("xor", "and", "or"),
    "float": ("maximum", "minimum"),
}
REDUCTIONS = {
    "int": ("sum", "max", "min", "xor_sum"),
    "bool": ("sum", "max", "min", "xor_sum"),
    "float": ("max", "min"),
}

SCANS = {"int": ("cumsum", "cumprod"), "bool": ("cumsum", "cumprod"), "float": ()}
COMBINED = {"int": "add", "bool": "xor", "float": "maximum"}
BINS = 6

Step = tuple[str, tuple[int, ...], Any]


def stretched(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that all stretch to, if there is one within bounds."""
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    return shape if math.prod(shape) <= MOST_LANES else None


class Generator:
    def __init__(self, seed: int, kind: str) -> None:
        self.random = random.Random(seed)
        self.kind = kind

    def shape(self) -> tuple[int, ...]:
        while True:
            shape = tuple(self.random.choices(SIZES, k=self.random.randint(1, MOST_RANK)))
            if math.prod(shape) <= MOST_LANES:
                return shape

    def program(self, count: int) -> tuple[Step, ...]:
        """`count` steps behind three loads, of shapes that partly stretch to each other's."""
        shape = self.shape()
        part = tuple(size if self.random.random() < 0.6 else 1 for size in shape)
        shapes = [shape, part[self.random.randrange(len(part)) :], self.shape()]
        loads = tuple(("load", (), each) for each in shapes)
        return loads + self.steps(shapes, count, depth=0)

    def steps(self, shapes: list[tuple[int, ...]], count: int, depth: int) -> tuple[Step, ...]:
        """Steps whose results' shapes are added to `shapes`."""
        made = []
        while len(made) < count:
            names = ["reshape", "permute", "expand", "broadcast", "operator", "operator", "where"]
            names += ["reduce", "reduce", "reduce_all", "join", "split", "interleave", "cat"]
            names += ["scan", "associative_scan", "sort", "gather", "histogram"]
            names += ["memory", *(["loop", "loop", "branch", "branch"] if depth < 2 else [])]
            name = self.random.choice(names)
            # What was made last is taken more often.
            near = tuple(
                max(0, len(shapes) - 1 - int(self.random.expovariate(0.4))) for _ in range(3)
            )
            found = getattr(self, "_" + name)(shapes, near, depth)
            if found is None:
                continue
            operands, argument, shape = found
            if math.prod(shape) <= MOST_LANES and len(shape) <= MOST_RANK:
                made.append((name, operands, argument))
                shapes.append(shape)
        return tuple(made)

    # Each gives operands, the argument and the shape of the result; None where there is no such.

    def _reshape(self, shapes, near, depth):
        lanes, sizes = math.prod(shapes[near[0]]), []
        if not shapes[near[0]]:
            return None
        while len(sizes) < MOST_RANK - 1 and self.random.random() < 0.7:
            choices = [size for size in SIZES if lanes % size == 0]
            sizes.append(self.random.choice(choices))
            lanes //= sizes[-1]
        sizes.insert(self.random.randint(0, len(sizes)), lanes)
        argument = list(sizes)
        if self.random.random() < 0.5:
            argument[self.random.randrange(len(sizes))] = -1
        return near[:1], tuple(argument), tuple(sizes)

    def _permute(self, shapes, near, depth):
        order = list(range(len(shapes[near[0]])))
        self.random.shuffle(order)
        if not order:
            return None
        given = [each - len(order) if self.random.random() < 0.3 else each for each in order]
        return near[:1], tuple(given), tuple(shapes[near[0]][axis] for axis in order)

    def _expand(self, shapes, near, depth):
        rank = len(shapes[near[0]]) + 1
        axis = self.random.randrange(-rank, rank)
        shape = list(shapes[near[0]])
        shape.insert(axis % rank, 1)
        return near[:1], axis, tuple(shape)

    def _broadcast(self, shapes, near, depth):
        shape = tuple(self.random.choice(SIZES) if size == 1 else size for size in shapes[near[0]])
        if len(shape) < MOST_RANK and self.random.random() < 0.4:
            shape = (self.random.choice(SIZES), *shape)
        return (near[:1], shape, shape) if shape else None

    def _operator(self, shapes, near, depth):
        shape = stretched(shapes[near[0]], shapes[near[1]])
        name = self.random.choice(OPERATORS[self.kind])
        return None if shape is None else (near[:2], name, shape)

    def _where(self, shapes, near, depth):
        shape = stretched(*(shapes[each] for each in near))
        return None if shape is None else (near, None, shape)

    def _reduce(self, shapes, near, depth):
        rank = len(shapes[near[0]])
        if rank == 0:
            return None
        axis, keep = self.random.randrange(-rank, rank), self.random.random() < 0.4
        shape = list(shapes[near[0]])
        shape[axis] = 1
        if not keep:
            del shape[axis]
        name = self.random.choice(REDUCTIONS[self.kind])
        return near[:1], (name, axis, keep), tuple(shape)

    def _reduce_all(self, shapes, near, depth):
        keep = self.random.random() < 0.4
        shape = (1,) * len(shapes[near[0]]) if keep else ()
        name = self.random.choice(REDUCTIONS[self.kind])
        return (near[:1], (name, None, keep), shape) if shapes[near[0]] else None

    def _join(self, shapes, near, depth):
        shape = stretched(shapes[near[0]], shapes[near[1]])
        return None if shape is None else (near[:2], None, (*shape, 2))

    def _split(self, shapes, near, depth):
        halved = [i for i, shape in enumerate(shapes) if shape and shape[-1] == 2]
        if not halved:
            return None
        chosen = self.random.choice(halved)
        return (chosen,), self.random.randrange(2), shapes[chosen][:-1]

    def _interleave(self, shapes, near, depth):
        shape = stretched(shapes[near[0]], shapes[near[1]])
        return (near[:2], None, (*shape[:-1], 2 * shape[-1])) if shape else None

    def _cat(self, shapes, near, depth):
        flat = [math.prod(shapes[each]) for each in near[:2]]
        ranks = [len(shapes[each]) for each in near[:2]]
        return (near[:2], None, (sum(flat),)) if all(ranks) else None

    def _axis(self, shape):
        return self.random.randrange(-len(shape), len(shape))

    def _scan(self, shapes, near, depth):
        shape = shapes[near[0]]
        if not shape or not SCANS[self.kind]:
            return None
        name, back = self.random.choice(SCANS[self.kind]), self.random.random() < 0.5
        return near[:1], (name, self._axis(shape), back), shape

    def _associative_scan(self, shapes, near, depth):
        shape = shapes[near[0]]
        axis = self._axis(shape) if shape else 0
        if not shape or shape[axis].bit_count() != 1:
            return None
        return near[:1], (COMBINED[self.kind], axis, self.random.random() < 0.5), shape

    def _sort(self, shapes, near, depth):
        shape = shapes[near[0]]
        return (near[:1], (self._axis(shape), self.random.random() < 0.5), shape) if shape else None

    def _gather(self, shapes, near, depth):
        """As many places as another value has lanes along some axis; see places()."""
        shape = list(shapes[near[0]])
        if not shape:
            return None
        axis, size = self._axis(shape), self.random.choice(SIZES)
        shape[axis] = size
        return near[:1], (axis, size), tuple(shape)

    def _histogram(self, shapes, near, depth):
        return (near[:1], None, (BINS,)) if shapes[near[0]] and self.kind == "int" else None

    def _memory(self, shapes, near, depth):
        """Stored in one order of axes and loaded in another, under a mask of a lower rank."""
        order = self._permute(shapes, near, depth)
        return None if order is None else (near[:1], order[1], order[2])

    def _loop(self, shapes, near, depth):
        """`n` rounds, each of which makes something of the value and merges it into the value."""
        inner = self.steps([*shapes, shapes[near[0]]], self.random.randint(1, 3), depth + 1)
        return (near[:1], inner, shapes[near[0]]) if shapes[near[0]] else None

    def _branch(self, shapes, near, depth):
        arms = [
            self.steps([*shapes, shapes[near[0]]], self.random.randint(1, 3), depth + 1)
            for _ in range(2)
        ]
        return (near[:1], tuple(arms), shapes[near[0]]) if shapes[near[0]] else None


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
}


def place(lane: Any, size: int) -> Any:
    """Which place along an axis of that size a lane of a gather takes: some are outside."""
    return lane * 5 % (size + 2) - 1


def reduced(value: np.ndarray, argument: Any) -> np.ndarray:
    name, axis, keep = argument
    wide = value.astype(np.int64) if value.dtype.kind in "bi" else value
    function = np.bitwise_xor.reduce if name == "xor_sum" else getattr(np, name)
    return np.asarray(function(wide, axis=axis, keepdims=keep)).astype(value.dtype)


class OnNumpy:
    def __init__(self, n: int) -> None:
        self.n = n

    def run(self, steps: tuple[Step, ...], values: list[np.ndarray]) -> list[np.ndarray]:
        with np.errstate(over="ignore"):
            for name, operands, argument in steps:
                values.append(self.step(name, [values[i] for i in operands], argument, values))
        return values

    def step(self, name: str, given: list[np.ndarray], argument: Any, values: Any) -> np.ndarray:
        x = given[0]
        if name == "reshape":
            return x.reshape(argument)
        if name == "permute":
            return x.transpose(argument)
        if name == "expand":
            return np.expand_dims(x, argument)
        if name == "broadcast":
            return np.broadcast_to(x, argument)
        if name == "operator":
            function = BINARY.get(argument) or getattr(np, argument)
            return np.asarray(function(*given)).astype(x.dtype)
        if name == "where":
            return np.where(x > given[1], given[1], given[2])
        if name in ("reduce", "reduce_all"):
            return reduced(x, argument)
        if name == "join":
            return np.stack(np.broadcast_arrays(*given), -1)
        if name == "split":
            return x[..., argument]
        if name == "interleave":
            joined = np.stack(np.broadcast_arrays(*given), -1)
            return joined.reshape(*joined.shape[:-2], -1)
        if name == "cat":
            return np.concatenate([each.ravel() for each in given])
        if name == "scan":
            function, axis, back = argument
            wide = x.astype(np.int64)
            wide = np.flip(wide, axis) if back else wide
            done = getattr(np, function)(wide, axis)
            return (np.flip(done, axis) if back else done).astype(x.dtype)
        if name == "associative_scan":
            function, axis, back = argument
            run = np.flip(x, axis) if back else x
            ufunc = {"add": np.add, "xor": np.bitwise_xor, "maximum": np.maximum}[function]
            done = ufunc.accumulate(run, axis, x.dtype)
            return np.flip(done, axis) if back else done
        if name == "sort":
            axis, descending = argument
            ordered = np.sort(x, axis)
            return np.flip(ordered, axis) if descending else ordered
        if name == "gather":
            axis, size = argument
            index = np.arange(math.prod(x.shape) // x.shape[axis] * size)
            shape = list(x.shape)
            shape[axis] = size
            index = place(index.reshape(shape), x.shape[axis])
            return np.take_along_axis(x, index.clip(0, x.shape[axis] - 1), axis)
        if name == "histogram":
            counts = np.bincount((x & 7).astype(np.int64).ravel(), minlength=8)
            return counts[:BINS].astype(x.dtype)
        if name == "memory":
            moved = x.transpose(argument)
            return np.where(np.arange(moved.shape[-1]) != 1, moved, x.dtype.type(0))
        if name == "loop":
            for _ in range(self.n):
                x = self.merged(x, self.run(argument, [*values, x])[-1])
            return x
        assert name == "branch"
        return self.merged(x, self.run(argument[self.n <= 1], [*values, x])[-1])

    def merged(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        if z.size == x.size:
            return z.reshape(x.shape)
        least = reduced(z, ("max", None, False))
        return np.maximum(x, least) if x.dtype.kind != "b" else x ^ least
