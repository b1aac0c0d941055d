"""bias + GELU + residual after a linear layer, in one kernel instead of three passes over memory.

python examples/fused_activation.py                   compare with eager torch
python examples/fused_activation.py --show ssa cuda   print stages of the compiled kernel
python examples/fused_activation.py --device cuda     run on a GPU
"""

import argparse

import torch

import mytriton as triton
import mytriton.language as tl
from mytriton.testing import compare

ROWS, COLUMNS = 512, 2048


@triton.jit
def bias_gelu_residual(hidden, bias, residual, out, columns, BLOCK: tl.constexpr):
    """out = residual + gelu(hidden + bias): one program a row and block of columns.

    GELU in its tanh form, 0.5 h (1 + tanh(u)) with u = sqrt(2 / pi) (h + 0.044715 h^3), written
    through exp: 0.5 (1 + tanh(u)) = 1 / (1 + exp(-2 u)).
    """
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    at = row * columns + column
    h = tl.load(hidden + at, mask=mask) + tl.load(bias + column, mask=mask)
    u = 0.7978845608028654 * (h + 0.044715 * h * h * h)
    gelu = h / (1.0 + tl.exp(-2.0 * u))
    tl.store(out + at, tl.load(residual + at, mask=mask) + gelu, mask=mask)


def fused(hidden, bias, residual, out):
    rows, columns = hidden.shape
    grid = lambda meta: (rows, triton.cdiv(columns, meta["BLOCK"]))  # noqa: E731
    return bias_gelu_residual[grid](hidden, bias, residual, out, columns, BLOCK=256)


def eager(hidden, bias, residual):
    return residual + torch.nn.functional.gelu(hidden + bias, approximate="tanh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of both contestants")
    parser.add_argument(
        "--show", nargs="*", default=[], metavar="STAGE", help="ssa, cuda, cpu, ..."
    )
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    layer = torch.nn.Linear(COLUMNS, COLUMNS, device=options.device)
    x = torch.randn(ROWS, COLUMNS, device=options.device)
    with torch.no_grad():
        hidden = x @ layer.weight.T
        bias = layer.bias.detach()
        out = torch.empty_like(x)
        compiled = fused(hidden, bias, x, out)
        expected = eager(hidden, bias, x)

        for stage in options.show:
            print(f"--- {stage}\n{compiled.asm[stage]}\n")
        error = (out - expected).abs().max().item()
        print(f"{compiled.op_name} on {options.device}, {ROWS} x {COLUMNS} float32")
        print(f"largest difference to eager: {error:.1e}")
        times = compare(
            {
                "eager": lambda: eager(hidden, bias, x),
                "fused": lambda: fused(hidden, bias, x, out),
            }
        )
        print(
            f"eager {times['eager'] * 1e6:.0f} us, fused {times['fused'] * 1e6:.0f} us: "
            f"{times['eager'] / times['fused']:.1f} times as fast"
        )
        torch.testing.assert_close(out, expected)
        print("agrees with eager")


if __name__ == "__main__":
    main()
