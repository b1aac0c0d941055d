"""Cross entropy over a wide vocabulary, and what stands beside it in a model: dropout."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def cross_entropy_kernel(
    logits, targets, losses, logsumexps, vocabulary, stride, ignored, smoothing, BLOCK: tl.constexpr
):
    """One row a program, read once: log-sum-exp online, and the sum for label smoothing."""
    row = tl.program_id(0)
    target = tl.load(targets + row)
    if target == ignored:
        tl.store(losses + row, 0.0)
        return
    logits += row * stride
    largest, total, level = -float("inf"), 0.0, 0.0
    for start in range(0, vocabulary, BLOCK):
        n = start + tl.arange(0, BLOCK)
        mask = n < vocabulary
        a = tl.load(logits + n, mask=mask, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(a, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(a - new), axis=0)
        largest = new
        level += tl.sum(tl.where(mask, a, 0.0), axis=0)
    logsumexp = largest + tl.log(total)
    loss = logsumexp - tl.load(logits + target).to(tl.float32)
    smooth = logsumexp - level / vocabulary
    tl.store(losses + row, (1.0 - smoothing) * loss + smoothing * smooth)
    tl.store(logsumexps + row, logsumexp)


@triton.jit
def cross_entropy_grad_kernel(
    logits, targets, grads, logsumexps, dlogits, vocabulary, stride, ignored, smoothing,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """A block of a row a program. `dlogits` may be `logits`: each is read and then written."""
    row = tl.program_id(0)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = n < vocabulary
    target = tl.load(targets + row)
    at = row * stride + n
    if target == ignored:
        tl.store(dlogits + at, 0.0, mask=mask)
    else:
        a = tl.load(logits + at, mask=mask, other=0.0).to(tl.float32)
        slope = tl.exp(a - tl.load(logsumexps + row)) - smoothing / vocabulary
        slope -= tl.where(n == target, 1.0 - smoothing, 0.0)
        tl.store(dlogits + at, tl.load(grads + row) * slope, mask=mask)


@triton.jit
def dropout_kernel(x, out, n, rate, seed, BLOCK: tl.constexpr):
    """Forward and backward: what is kept depends on seed and place alone."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    kept = tl.rand(seed, at) >= rate
    a = tl.load(x + at, mask=mask, other=0.0)
    tl.store(out + at, tl.where(kept, a / (1.0 - rate), 0.0), mask=mask)
