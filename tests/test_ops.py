"""Every elementwise op of the table gives the documented bits on every element type it takes.

The operands are all pairs of special values and random ones. The compiled kernel, the evaluator and
the CUDA text are held to the answers of op_references.py. Rows whose bits are not fixed have
test_ops_math.py; operands that are scalars or constants test_ops_scalars.py.
"""

import pytest
import torch
from engines import every
from op_kernels import rows_of, run_blocks
from op_operands import DTYPES, operand_triples
from op_references import MATH, ROWS, accurate, expected, result_type


@pytest.mark.parametrize("name", ROWS)
def test_every_row_has_an_expectation(name: str) -> None:
    row = ROWS[name]
    assert row["types"] and row["doc"]
    for element in row["types"]:
        one = torch.ones(1, dtype=DTYPES[element])
        operands = [one] * row["operands"]
        if name == "select":
            operands[0] = torch.ones(1, dtype=torch.bool)
        answer = accurate(name, *operands) if name in MATH else expected(name, *operands)
        assert answer.shape == (1,)
        assert name in MATH or answer.dtype == result_type(name, element)


@every
@pytest.mark.parametrize("element", DTYPES)
def test_exact_rows(engine, element: str) -> None:
    names = [name for name in rows_of(element) if name not in MATH]
    results, operands = run_blocks(engine, element, names, operand_triples(element))
    results.check_exact(operands)
