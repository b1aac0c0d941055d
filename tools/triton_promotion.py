"""Prints Triton's promotion table, tests/promotion_table.txt. Needs Triton, but no GPU.

Run: python tools/triton_promotion.py > tests/promotion_table.txt
"""

import triton
import triton.language as tl
from triton.language.semantic import TritonSemantic

NAMES = {
    f"{sign[0]}{bits}": f"{sign}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)
}
NAMES = {"bool": "int1"} | NAMES | {"f16": "float16", "bf16": "bfloat16"}
NAMES |= {"f32": "float32", "f64": "float64"}
NUMBERS = ["True", "1", "2**31", "2**32", "2**63", "0.5", "1e300"]

semantic = TritonSemantic.__new__(TritonSemantic)  # what is asked of it builds no code
types = {name: getattr(tl, theirs) for name, theirs in NAMES.items()}
operands = {name: (type_, False) for name, type_ in types.items()}
operands |= {text: (semantic.to_tensor_type(eval(text)), True) for text in NUMBERS}
names = {type_: name for name, type_ in types.items()}


def promoted(a: str, b: str, division: bool) -> str:
    try:
        result = semantic.computation_type_impl(*operands[a], *operands[b], division)
    except TypeError:
        return "-"
    return names[result]


print(f"# Triton {triton.__version__}'s TritonSemantic.computation_type_impl(row, column), without")
print("# and with division. Types of the IR are values, the rest Python numbers; - is refused.")
for division, corner in ((False, "+"), (True, "/")):
    rows = [[corner, *operands]]
    rows += [[a, *(promoted(a, b, division) for b in operands)] for a in operands]
    lines = ["".join(f"{each:6}" for each in row).rstrip() for row in rows]
    print("\n".join(lines), end="\n\n" if not division else "\n")
