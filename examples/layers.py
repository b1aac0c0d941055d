"""One kernel through every layer of the compiler, for reading.

python examples/layers.py             each Python line with its SSA, CUDA and CPU text
python examples/layers.py --stages    the stages one after the other, whole
"""

import argparse

import mytriton as triton
import mytriton.language as tl


@triton.jit
def leaky_relu_kernel(x, out, n, alpha, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask, other=0.0)
    b = tl.where(a < 0.0, alpha * a, a)
    tl.store(out + offs, b, mask=mask)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stages", action="store_true")
    options = parser.parse_args()
    compiled = leaky_relu_kernel.compile("*fp32", "*fp32", "i32", "fp32", BLOCK=256)
    if not options.stages:
        print(compiled.explain())
        return
    print(f"--- expressions\n{compiled.expression_ops}")
    for stage in ("ssa", "plan", "cuda", "cpu_plan", "cpu"):
        print(f"\n--- {stage}\n{compiled.asm[stage]}")


if __name__ == "__main__":
    main()
