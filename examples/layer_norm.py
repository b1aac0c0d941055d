"""Layer norm as a torch.autograd.Function with kernels of its own, beside torch's.

python examples/layer_norm.py                   compare with torch, forward and backward
python examples/layer_norm.py --show ssa cuda   print stages of the backward kernel
python examples/layer_norm.py --device cuda     run on a GPU
"""

import argparse

import torch

import mytriton as triton
import mytriton.language as tl
from mytriton.testing import compare

ROWS, COLUMNS = 512, 1000
PROGRAMS = 16  # of the backward pass, which share the rows
EPS = 1e-5


@triton.jit
def forward_kernel(x, weight, bias, out, means, scales, columns, eps, BLOCK: tl.constexpr):
    """A row a program; its mean and 1 / standard deviation are kept for the backward pass."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    at = row * columns + column
    a = tl.load(x + at, mask=mask, other=0.0)
    mean = tl.sum(a, axis=0) / columns
    centred = tl.where(mask, a - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    w, b = tl.load(weight + column, mask=mask), tl.load(bias + column, mask=mask)
    tl.store(out + at, centred * scale * w + b, mask=mask)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)


@triton.jit
def backward_kernel(
    x, weight, grad, dx, dw, db, means, scales, rows, columns, BLOCK: tl.constexpr
):  # fmt: skip
    """Rows p, p + programs, ...: their dx, and the sums of their shares in dw and db.

    With n = (x - mean) scale and g = grad weight, dx = scale (g - mean(g) - n mean(n g)).
    """
    program = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    w = tl.load(weight + column, mask=mask, other=0.0)
    dw_sum, db_sum = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        at = row * columns + column
        scale = tl.load(scales + row)
        a, g = tl.load(x + at, mask=mask, other=0.0), tl.load(grad + at, mask=mask, other=0.0)
        normal = tl.where(mask, (a - tl.load(means + row)) * scale, 0.0)
        weighted = g * w
        level = tl.sum(weighted, axis=0) / columns
        along = tl.sum(normal * weighted, axis=0) / columns
        tl.store(dx + at, scale * (weighted - level - normal * along), mask=mask)
        dw_sum += g * normal
        db_sum += g
    tl.store(dw + program * columns + column, dw_sum, mask=mask)
    tl.store(db + program * columns + column, db_sum, mask=mask)


class LayerNorm(torch.autograd.Function):
    compiled = None  # the backward kernel of the last launch

    @staticmethod
    def forward(ctx, x, weight, bias):
        rows, columns = x.shape
        out, means, scales = torch.empty_like(x), x.new_empty(rows), x.new_empty(rows)
        block = triton.next_power_of_2(columns)
        forward_kernel[rows,](x, weight, bias, out, means, scales, columns, EPS, BLOCK=block)
        ctx.save_for_backward(x, weight, means, scales)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, weight, means, scales = ctx.saved_tensors
        dx, partial = torch.empty_like(x), x.new_empty(2, PROGRAMS, x.shape[1])
        LayerNorm.compiled = launch_backward(x, weight, grad, dx, partial, means, scales)
        dw, db = partial.sum(1)
        return dx, dw, db


def launch_backward(x, weight, grad, dx, partial, means, scales):
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    return backward_kernel[PROGRAMS,](
        x, weight, grad, dx, *partial, means, scales, rows, columns, BLOCK=block
    )


def torchs(x, weight, bias):
    return torch.nn.functional.layer_norm(x, x.shape[1:], weight, bias, EPS)


def gradients(norm, grad, *given):
    """The result and the gradients of x, weight and bias."""
    leaves = [each.detach().requires_grad_() for each in given]
    out = norm(*leaves)
    out.backward(grad)
    return [out.detach(), *(each.grad for each in leaves)]


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
    x, grad = torch.randn(2, ROWS, COLUMNS, device=options.device)
    weight, bias = torch.randn(2, COLUMNS, device=options.device)
    got = gradients(LayerNorm.apply, grad, x, weight, bias)
    exact = gradients(torchs, *(each.double() for each in (grad, x, weight, bias)))

    for stage in options.show:
        print(f"--- {stage}\n{LayerNorm.compiled.asm[stage]}\n")
    print(f"layer norm on {options.device}, {ROWS} x {COLUMNS} float32")
    for name, mine, theirs in zip(("out", "dx", "dw", "db"), got, exact, strict=True):
        print(f"largest difference of {name} to float64: {(mine - theirs).abs().max().item():.1e}")
        torch.testing.assert_close(mine.double(), theirs, rtol=1e-5, atol=1e-4)
    times = compare(
        {
            "torch": lambda: gradients(torchs, grad, x, weight, bias),
            "ours": lambda: gradients(LayerNorm.apply, grad, x, weight, bias),
        }
    )
    print(
        f"forward and backward: torch {times['torch'] * 1e6:.0f} us, ours "
        f"{times['ours'] * 1e6:.0f} us: {times['torch'] / times['ours']:.1f} times as fast"
    )
    print("agrees with torch")


if __name__ == "__main__":
    main()
