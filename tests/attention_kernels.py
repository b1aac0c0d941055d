"""Attention without a matrix of scores in memory, and its gradients."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def attention_kernel(
    q, k, v, out, logsumexps, scale, heads, length,
    q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
    out_batch, out_head, out_row,
    CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """A block of queries a program; keys and values go by once, the softmax being kept online."""
    start_m = tl.program_id(0) * BM
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    m, lane = start_m + tl.arange(0, BM), tl.arange(0, WIDTH)
    q += batch * q_batch + head * q_head
    k += batch * k_batch + head * k_head
    v += batch * v_batch + head * v_head
    out += batch * out_batch + head * out_head
    queries = tl.load(q + m[:, None] * q_row + lane[None, :], mask=m[:, None] < length, other=0.0)

    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, WIDTH), tl.float32)
    stop = length
    if CAUSAL:
        stop = tl.minimum(start_m + BM, length)
    for start_n in range(0, stop, BN):
        n = start_n + tl.arange(0, BN)
        keys = tl.load(k + n[None, :] * k_row + lane[:, None], mask=n[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        seen = n[None, :] < length
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        shrunk = tl.exp(largest - new)
        powers = tl.exp(scores - new[:, None])
        total = total * shrunk + tl.sum(powers, axis=1)
        values = tl.load(
            v + n[:, None] * v_row + lane[None, :], mask=n[:, None] < length, other=0.0
        )
        result = result * shrunk[:, None]
        result = tl.dot(powers.to(values.dtype), values, result, input_precision="ieee")
        largest = new
    tl.store(
        out + m[:, None] * out_row + lane[None, :],
        (result / total[:, None]).to(out.dtype.element_ty),
        mask=m[:, None] < length,
    )
    at = logsumexps + tl.program_id(1) * length + m
    tl.store(at, largest + tl.log(total), mask=m < length)


@triton.jit
def powers_and_slopes(
    queries, keys, values, grads, logsumexp, delta, m, n, scale, length, CAUSAL: tl.constexpr
):
    """A tile of the softmax and of the gradient of the scores, from blocks (BM or BN, WIDTH)."""
    scores = tl.dot(queries, tl.trans(keys), input_precision="ieee") * scale
    seen = (m[:, None] < length) & (n[None, :] < length)
    if CAUSAL:
        seen = seen & (n[None, :] <= m[:, None])
    powers = tl.where(seen, tl.exp(scores - logsumexp[:, None]), 0.0)
    slopes = tl.dot(grads, tl.trans(values), input_precision="ieee") - delta[:, None]
    return powers, powers * slopes


@triton.jit
def delta_kernel(out, grad, delta, length, WIDTH: tl.constexpr, BM: tl.constexpr):
    """For each query the sum of out times grad. All arrays of the gradients are contiguous."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    at = tl.program_id(1) * length * WIDTH + m[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    mask = m[:, None] < length
    product = tl.load(out + at, mask=mask, other=0.0) * tl.load(grad + at, mask=mask, other=0.0)
    tl.store(delta + tl.program_id(1) * length + m, tl.sum(product, axis=1), mask=m < length)


@triton.jit
def attention_grad_kernel(
    q, k, v, grad, logsumexps, deltas, dq, dk, dv, scale, length,
    CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """A block of keys a program: their dk and dv in registers, what they add to dq (0 at first) by
    atomics."""
    first = tl.program_id(1) * length
    n, lane = tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, WIDTH)
    own = (first + n[:, None]) * WIDTH + lane[None, :]
    keys = tl.load(k + own, mask=n[:, None] < length, other=0.0)
    values = tl.load(v + own, mask=n[:, None] < length, other=0.0)
    dk_sum = tl.zeros((BN, WIDTH), tl.float32)
    dv_sum = tl.zeros((BN, WIDTH), tl.float32)
    start = 0
    if CAUSAL:
        start = tl.program_id(0) * BN // BM * BM
    for start_m in range(start, length, BM):
        m = start_m + tl.arange(0, BM)
        at = (first + m[:, None]) * WIDTH + lane[None, :]
        queries = tl.load(q + at, mask=m[:, None] < length, other=0.0)
        grads = tl.load(grad + at, mask=m[:, None] < length, other=0.0)
        logsumexp = tl.load(logsumexps + first + m, mask=m < length, other=0.0)
        delta = tl.load(deltas + first + m, mask=m < length, other=0.0)
        powers, slopes = powers_and_slopes(
            queries, keys, values, grads, logsumexp, delta, m, n, scale, length, CAUSAL
        )
        dv_sum = tl.dot(tl.trans(powers), grads, dv_sum, input_precision="ieee")
        dk_sum = tl.dot(tl.trans(slopes), queries, dk_sum, input_precision="ieee")
        part = tl.dot(slopes, keys, input_precision="ieee") * scale
        tl.atomic_add(dq + at, part, mask=m[:, None] < length)
    tl.store(dk + own, dk_sum * scale, mask=n[:, None] < length)
    tl.store(dv + own, dv_sum, mask=n[:, None] < length)
