"""Gated activations and rotary embeddings: elementwise kernels with helpers and pairs of lanes."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def silu_and_slope(a):
    """a sigmoid(a), and its derivative."""
    s = tl.sigmoid(a)
    return a * s, s * (1.0 + a * (1.0 - s))


@triton.jit
def gelu_and_slope(a):
    """GELU in its tanh form, and its derivative; 0.5 (1 + tanh(u)) = sigmoid(2 u)."""
    s = tl.sigmoid(1.5957691216057308 * (a + 0.044715 * a * a * a))
    rate = 1.5957691216057308 * (1.0 + 3.0 * 0.044715 * a * a)
    return a * s, s + a * s * (1.0 - s) * rate


@triton.jit
def gated_kernel(a, b, out, n, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    """out = activation(a) b."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    activated, _ = ACTIVATION(tl.load(a + at, mask=mask).to(tl.float32))
    tl.store(out + at, activated * tl.load(b + at, mask=mask), mask=mask)


@triton.jit
def gated_grad_kernel(a, b, grad, n, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    """The gradients take the places of a and b."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    activated, slope = ACTIVATION(tl.load(a + at, mask=mask).to(tl.float32))
    g = tl.load(grad + at, mask=mask).to(tl.float32)
    other = tl.load(b + at, mask=mask)
    tl.store(a + at, g * other * slope, mask=mask)
    tl.store(b + at, g * activated, mask=mask)


@triton.jit
def turned(x, y, cos, sin):
    """The pairs (x, y), turned by an angle."""
    return x * cos - y * sin, y * cos + x * sin


@triton.jit
def rotary_half_kernel(
    x, cos, sin, positions, heads, BACKWARD: tl.constexpr, HEADS: tl.constexpr, HALF: tl.constexpr
):  # fmt: skip
    """In place. x: (tokens, heads, 2 HALF), lane i being paired with lane i + HALF; cos and sin:
    (positions, HALF). A program takes all heads of a token."""
    token = tl.program_id(0)
    position = tl.load(positions + token)  # int64
    n = tl.arange(0, HALF)
    c, s = tl.load(cos + position * HALF + n)[None, :], tl.load(sin + position * HALF + n)[None, :]
    if BACKWARD:
        s = -s
    head = tl.arange(0, HEADS)[:, None]
    mask = head < heads
    at = x + (token * heads + head) * (2 * HALF) + n[None, :]
    left, right = tl.load(at, mask=mask).to(tl.float32), tl.load(at + HALF, mask=mask)
    left, right = turned(left, right.to(tl.float32), c, s)
    tl.store(at, left, mask=mask)
    tl.store(at + HALF, right, mask=mask)


@triton.jit
def rotary_pairs_kernel(
    x, out, cos, sin, heads, BACKWARD: tl.constexpr, HEADS: tl.constexpr, HALF: tl.constexpr
):  # fmt: skip
    """As above, but lane 2i is paired with lane 2i + 1, and a token's position is its number."""
    token = tl.program_id(0)
    n = tl.arange(0, HALF)
    c, s = tl.load(cos + token * HALF + n)[None, :], tl.load(sin + token * HALF + n)[None, :]
    if BACKWARD:
        s = -s
    head, lane = tl.arange(0, HEADS), tl.arange(0, 2 * HALF)
    at = (token * heads + head[:, None]) * (2 * HALF) + lane[None, :]
    mask = head[:, None] < heads
    block = tl.load(x + at, mask=mask).to(tl.float32)
    even, odd = tl.split(tl.reshape(block, (HEADS, HALF, 2)))
    even, odd = turned(even, odd, c, s)
    tl.store(out + at, tl.interleave(even, odd), mask=mask)
