"""Element types, as kernels name them: ``tl.float32``, ``x.dtype``, ``p.dtype.element_ty``."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from mytriton import _C


class dtype:
    """An element type, e.g. ``tl.float32``. ``str`` gives Triton's short name: ``fp32``.

    Attributes: ``primitive_bitwidth`` and, of int types, ``int_bitwidth`` in bits; ``itemsize`` in
    bytes, 0 for int1; of int types ``int_signedness``. The ``is_...`` methods are Triton's; there
    as here int1 is an unsigned int.
    """

    class SIGNEDNESS(enum.Enum):
        """What ``int_signedness`` may be."""

        SIGNED = 0
        UNSIGNED = 1

    def __init__(self, name: str, short: str, ir: str, bits: int, kind: str = "") -> None:
        self.name = short
        self.language_name = name
        self.ir = ir
        self.kind = kind
        self.primitive_bitwidth = bits
        self.itemsize = bits // 8
        if kind in ("int", "bool"):
            self.int_bitwidth = bits
            words = self.SIGNEDNESS
            self.int_signedness = words.SIGNED if self.is_int_signed() else words.UNSIGNED

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"mytriton.language.{self.language_name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_by_ir, (self.ir,))  # there is one object a type

    @property
    def scalar(self) -> dtype:
        return self

    def is_floating(self) -> bool:
        return self.kind == "float"

    is_standard_floating = is_floating

    def is_int(self) -> bool:
        return self.kind in ("int", "bool")

    def is_int_signed(self) -> bool:
        return self.kind == "int" and not self.is_int_unsigned()

    def is_int_unsigned(self) -> bool:
        return self.name.startswith("uint") or self.is_bool()

    def is_bool(self) -> bool:
        return self.kind == "bool"

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False


def _by_ir(ir: str) -> dtype:
    return DTYPES[ir]


# is_fp16(), is_int1(), is_uint8(), ...: one question a type, as Triton has them.
def _is(short: str) -> Callable[[dtype], bool]:
    return lambda self: self.name == short


class pointer_type(dtype):
    """The type of a pointer; ``element_ty`` is what it points to."""

    def __init__(self, element_ty: dtype) -> None:
        name = f"pointer<{element_ty.name}>"
        super().__init__(name, name, "", 64)
        self.element_ty = element_ty

    def __reduce__(self) -> tuple[Any, ...]:
        return (pointer_type, (self.element_ty,))

    def is_ptr(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, pointer_type) and other.element_ty is self.element_ty

    def __hash__(self) -> int:
        return hash((pointer_type, self.element_ty.name))


DType = dtype  # a name for annotations where a parameter is called dtype
# IR name -> type, from the compiler's table.
DTYPES = {
    row["ir"]: dtype(row["name"], row["short"], row["ir"], row["bits"], row["kind"])
    for row in _C.dtype_rows()
}
for _each in DTYPES.values():
    setattr(dtype, f"is_{_each.name}", _is(_each.name))
int1, int32, int64, float32 = DTYPES["bool"], DTYPES["i32"], DTYPES["i64"], DTYPES["f32"]
