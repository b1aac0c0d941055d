"""Prints docs/language.md, the reference of element types and ops, from the compiler's tables.

python tools/language_page.py > docs/language.md
"""

from __future__ import annotations

from typing import Any

from mytriton import _C

HEAD = """# The language: types and ops

`import mytriton.language as tl`. This page is printed by `tools/language_page.py` from
`csrc/ir/dtypes.def` and `csrc/ir/ops.def`; `docs/promotion.md` says in which type operands of
different types are computed, `docs/ir.md` how all this looks in SSA.

## Element types
"""

AFTER_TYPES = """
A bool in memory is one byte: stores write 0 or 1, loads take any byte but 0 as true. Denormals are
kept everywhere. Integers wrap.

**Casts** (`x.to(dtype)`, `tl.cast`, and what a store does to fit its pointer): to `int1` is `!= 0`,
so that a NaN is true; from `int1` gives 0 and 1. Float to int truncates, saturates out of range and
gives 0 for NaN, on every backend. Int to int keeps the low bits; a wider type is filled by the
sign or, from unsigned types, by zeros. Float to a narrower float rounds to nearest even, or towards
zero with `fp_downcast_rounding="rtz"`; a NaN stays one. `float16` and `bfloat16` convert to and
from ints through `float32`. `bitcast=True` keeps the bits, between types of one width.

**Half precision**: ops on `float16` and `bfloat16` are computed in `float32` and each result is
rounded, which for `+ - * /` and `sqrt` gives the correctly rounded result. That includes `exp` and
its like, which Triton refuses.

## Reading the tables

*Meaning in C++* is the row's expression: compiled, it is the constant folder and the evaluator; as
text it is what both backends print, with operands in place of a, b and c. In `float64` CUDA text
has C's names without the f (`exp` for `expf`). Where a row takes several kinds of types, its
expressions stand in the order float; int; bool. Functions that CUDA does not have (`idiv`, `shl`,
`sigmoidf`, ...) are printed above the kernel that calls them.
"""

OPERATORS = """
## Operators

`/` on ints divides as `float32`; `//` and `%` truncate as in C, and `//` takes ints only. On Python
numbers and constexprs they do what Python does.

| Kernel | Op | Types | Meaning | Meaning in C++ |
|---|---|---|---|---|
"""

FUNCTIONS = """
## Functions that are exact

Results are the same to the bit everywhere, NaN payloads apart. Unary ones are methods too:
`x.abs()`. Names of Triton's `tl.math` and `tl.extra.libdevice` are aliases. Python's `abs` and
`round` (to even) work on traced values, and in `@jit` functions `min` and `max` do. `maximum`,
`minimum` and `clamp` propagate NaN, as torch's functions do;
`propagate_nan=tl.PropagateNan.NONE` asks for Triton's default.

| `tl.` | Types | Meaning | In torch | Meaning in C++ |
|---|---|---|---|---|
"""

MATH = """
## Math

Evaluator and compiled CPU code agree to the bit. *ulp* is how far a result is off at most: for
`float32` on the CPU as measured over every 17th float (two-argument functions: random pairs) by
`make accuracy`; on CUDA as NVIDIA documents its library. On the CPU `float64` is the C library's
function, but of `sigmoid`, `rsqrt` and `digamma`. Right for NaN, infinities, denormals and signed
zeros.

| `tl.` | Meaning | In torch | Meaning in C++ | ulp CPU f32 | CUDA f32 | CUDA f64 |
|---|---|---|---|---|---|---|
"""

DERIVATIVES = """
## Derivatives

What flows back to each operand of an op in `@mytriton.elementwise` functions - or, read forwards,
what the operand's tangent adds to that of the result: of the operands a, b and c, the result r and
what flows, g. 0: nothing, as the op is constant between its steps. At corners the choice is that of
torch.

| Op | a | b | c |
|---|---|---|---|
"""

SHAPES = """
## Shapes

A block has 1 to 5 axes of any sizes, with at most 2**20 lanes. Axes count from the last: in
operators and functions, blocks of several shapes are combined in the shape that all stretch to, a
size of 1 taking any other and missing axes being of size 1. In `tl.load`, `tl.store` and atomics,
masks and values stretch to the pointers, never the other way. Pointers are moved as blocks are.

* `x[:, None]`, `x[None, :]`: a new axis of size 1 for each None. Nothing else indexes a block.
* `tl.expand_dims(x, axis)`: the same, by the place of the new axis, or a tuple of places;
  `tl.unsqueeze(x, dim)` likewise, and `tl.squeeze(x, dim)` the opposite.
* `tl.reshape(x, 4, -1)`, `tl.view`: lanes keep their order, row by row, and one size may be -1.
  `tl.ravel(x)` has one axis.
* `tl.broadcast_to(x, 4, 8)`: a shape that x stretches to; `tl.broadcast(x, y)`: both, in the shape
  that they share.
* `tl.permute(x, 2, 0, 1)`: axis i is axis `dims[i]` of x. `x.T` and `tl.trans(x)` exchange the last
  two axes; `tl.trans(x, 2, 0, 1)` is `permute`.
* `tl.join(x, y)`: side by side along a new last axis of size 2, whose halves `tl.split(x)` gives.
* `tl.interleave(x, y)`: lanes in turn along the last axis. `tl.cat(x, y)`: one block of rank 1 and
  then the other.

Shapes may stand as ints or as one tuple, and all are methods, but for those that take two blocks.
CUDA text has no op that moves lanes yet: `reshape` and what amounts to it works there.
"""

REDUCTIONS = """
## Reductions

`tl.sum(x, axis=0)`, or as methods: along an axis, negative ones counting from the last, or over all
lanes without one; the axis goes, or stays as of size 1 with `keep_dims=True`. Sums have a fixed
order, see `csrc/cpu/evaluate.h`; `dtype` is a type to convert to before. Of ints
below 32 bits and bool, the result is `int32` (`sum` of unsigned ones: `uint32`); `max` and `min`
of `float16` and `bfloat16` are `float32`, while `sum` adds in `float32` and rounds once.

`tl.argmax` and `tl.argmin` give the `int32` index of the first of several, a NaN being the extreme
as in torch. `tl.softmax` of half types is computed in `float32`. `tl.dot` multiplies and sums in
`float32` - `float64` in `float64`, `int8` and `uint8` in `int32` -, and rounds once.

| `tl.` | Types | Meaning |
|---|---|---|
"""

ACROSS = """
## Across lanes

On the CPU; CUDA text has none of these yet. Axes count from the last where they are negative.

* `tl.sort(x, dim, descending)`: along an axis of any size, the last one unless told. There is one
  order for each type, which tells apart all that has different bits: -0.0 comes before 0.0, and
  every NaN after inf, NaNs by their bits as unsigned ints; descending is exactly the reverse.
  `tl.topk(x, k)`: the first k of it, descending unless told.
* `tl.gather(src, index, axis)`: torch.gather, the sizes of `index` being those of `src` but for the
  axis; a place below 0 takes the first lane and one past the end the last.
* `tl.histogram(x, num_bins, mask)`: an int32 count for each of 0 to `num_bins - 1`; other values,
  and lanes that are masked off, are not counted.
* `tl.reduce(x, axis, combine_fn, keep_dims)`, `tl.associative_scan(x, axis, combine_fn, reverse)`:
  `x` is a block, or a tuple of N blocks of one shape, and `combine_fn` a function of 2 * N values,
  the earlier ones first, that gives N of the same types. It has to be associative; it need not
  commute. It is traced on whole blocks, so that it may not branch on its values: `tl.where` picks.
  The axis, for `reduce` also None for all lanes, has a power of two lanes.
* `tl.cumsum(x, axis=0, reverse=False, dtype=None)`, `tl.cumprod`: lane by lane along the axis, or
  back from its end, which is the order in which floats round; types are those of `tl.sum`.

All but `topk` are methods, too.

| `tl.` | Types | Meaning |
|---|---|---|
"""

STRUCTURAL = """
## Ops of the IR that are not elementwise

| Op | Meaning |
|---|---|
"""

KINDS = {"float": {"f16", "bf16", "f32", "f64"}, "bool": {"bool"}}


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def code(text: str) -> str:
    return f"`{cell(text)}`"


def types(row: dict[str, Any]) -> str:
    names = set(row["types"])
    parts = []
    if names & KINDS["float"]:
        parts.append("float")
    ints = names - KINDS["float"] - KINDS["bool"]
    if ints:
        parts.append("int" if "i8" in ints else "int of 32, 64 bits")
    if "bool" in names:
        parts.append("bool")
    return ", ".join(parts)


def meaning_in_cxx(row: dict[str, Any]) -> str:
    given = [text for text in row["expressions"] if text]
    return "; ".join(code(text) for text in dict.fromkeys(given))


def spelling(row: dict[str, Any]) -> str:
    python = row["python"]
    if row["name"] == "select":
        return "tl.where(a, b, c)"
    if python.endswith("a"):
        return python
    return "a // b, a / b" if row["name"] == "div" else f"a {python} b"


def line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |\n"


def page() -> str:
    rows = _C.op_rows()
    pure = [row for row in rows if row["kind"] == "pure"]
    out = HEAD + "\n| `tl.` | Triton's short name | In SSA | Bits |\n|---|---|---|---|\n"
    for each in _C.dtype_rows():
        out += line(code(each["name"]), each["short"], each["ir"], str(each["bits"]))
    out += AFTER_TYPES + OPERATORS
    for row in pure:
        if row["python"] != "tl":
            columns = [code(spelling(row)), row["name"], types(row), cell(row["doc"])]
            out += line(*columns, meaning_in_cxx(row))
    out += FUNCTIONS
    for row in pure:
        if row["python"] == "tl" and not any(row["ulp"]):
            columns = [code(row["name"]), types(row), cell(row["doc"])]
            out += line(*columns, code(row["torch"]) if row["torch"] else "", meaning_in_cxx(row))
    out += MATH
    for row in pure:
        if any(row["ulp"]):
            cpu, cuda, cuda_f64 = row["ulp"]
            columns = [code(row["name"]), cell(row["doc"]), code(row["torch"]), meaning_in_cxx(row)]
            out += line(*columns, f"{cpu:.2f}", f"{cuda:g}", f"{cuda_f64:g}")
    out += DERIVATIVES
    for row in pure:
        texts = [code(text.replace("tl.", "")) for text in row["derivative"]]
        if row["no_derivative"]:
            texts = [f"none: {row['no_derivative']}"]
        if texts:
            out += line(code(row["name"]), *texts, *[""] * (3 - len(texts)))
    out += SHAPES + REDUCTIONS
    for row in rows:
        if row["kind"] == "reduce":
            out += line(code(row["name"]), types(row), cell(row["doc"]))
    out += ACROSS
    for row in rows:
        if row["kind"] == "scan":
            out += line(code(row["name"]), types(row), cell(row["doc"]))
    out += STRUCTURAL
    for row in rows:
        if row["kind"] == "structural":
            out += line(code(row["name"]), cell(row["doc"]))
    return out


if __name__ == "__main__":
    print(page(), end="")
