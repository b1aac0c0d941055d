"""Kernels built on scans, sorts and histograms: running sums, recurrences, routing, medians."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def running_sum_kernel(x, out, columns, REVERSE: tl.constexpr, BLOCK: tl.constexpr):
    """Along rows wider than the block, from either end: each block goes on from a carry."""
    row = tl.program_id(0) * columns
    carry = 0.0
    for start in range(0, columns, BLOCK):
        n = start + tl.arange(0, BLOCK)
        if REVERSE:
            n = columns - 1 - n  # the last comes first
        mask = (n >= 0) & (n < columns)
        a = tl.load(x + row + n, mask=mask, other=0.0).to(tl.float32)
        tl.store(out + row + n, carry + tl.cumsum(a, axis=0), mask=mask)
        carry += tl.sum(a, axis=0)


@triton.jit
def tail_sums_kernel(x, out, columns, BLOCK: tl.constexpr):
    """out[i] = x[i] + x[i + 1] + ... of a row that one block holds."""
    row = tl.program_id(0) * columns
    n = tl.arange(0, BLOCK)
    a = tl.load(x + row + n, mask=n < columns, other=0.0)
    tl.store(out + row + n, tl.cumsum(a, axis=0, reverse=True), mask=n < columns)


@triton.jit
def running_product_kernel(
    x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):  # fmt: skip
    """Down the columns of a tile."""
    m, n = tl.arange(0, ROWS)[:, None], tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (m < rows) & (n < columns)
    tile = tl.load(x + m * columns + n, mask=mask, other=1.0)
    tl.store(out + m * columns + n, tl.cumprod(tile, axis=0), mask=mask)


@triton.jit
def then(a_first, b_first, a_second, b_second):
    """h -> a h + b, one after the other."""
    return a_first * a_second, a_second * b_first + b_second


@triton.jit
def recurrence_kernel(
    a, b, h, steps, channels, FORWARD: tl.constexpr, STEPS: tl.constexpr, CHANNELS: tl.constexpr
):
    """h[t] = a[t] h[t - 1] + b[t] from h = 0, of arrays (steps, channels); with FORWARD False it
    runs back in time, h[t] = a[t + 1] h[t + 1] + b[t], which is how gradients run."""
    n = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)[None, :]
    t = tl.arange(0, STEPS)[:, None]
    state = tl.zeros((1, CHANNELS), tl.float32)
    for start in range(0, steps, STEPS):
        at = start + t if FORWARD else steps - 1 - start - t
        other = at if FORWARD else at + 1
        mask = (at >= 0) & (at < steps) & (n < channels)
        rate = tl.load(a + other * channels + n, mask=mask & (other < steps), other=1.0)
        step = tl.load(b + at * channels + n, mask=mask, other=0.0)
        rates, sums = tl.associative_scan((rate, step), 0, then)
        states = rates * state + sums
        tl.store(h + at * channels + n, states, mask=mask)
        state = tl.sum(tl.where(t == STEPS - 1, states, 0.0), axis=0, keep_dims=True)


@triton.jit
def or_restarted(flag_first, sum_first, flag_second, sum_second):
    return flag_first | flag_second, tl.where(flag_second != 0, sum_second, sum_first + sum_second)


@triton.jit
def restarting_sum_kernel(x, starts, out, n, REVERSE: tl.constexpr, BLOCK: tl.constexpr):
    """Running sums that begin anew where `starts` is not 0; with REVERSE from the end."""
    at = tl.arange(0, BLOCK)
    flags = tl.load(starts + at, mask=at < n, other=0)
    a = tl.load(x + at, mask=at < n, other=0.0)
    _, sums = tl.associative_scan((flags, a), axis=0, combine_fn=or_restarted, reverse=REVERSE)
    tl.store(out + at, sums, mask=at < n)


@triton.jit
def joined(count_a, mean_a, spread_a, count_b, mean_b, spread_b):
    """Counts, means and sums of squared differences of two sets; either may be empty."""
    count = count_a + count_b
    share = tl.where(count > 0, count_b / tl.maximum(count, 1.0), 0.0)
    difference = mean_b - mean_a
    spread = spread_a + spread_b + difference * difference * count_a * share
    return count, mean_a + difference * share, spread


@triton.jit
def moments_kernel(x, means, variances, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    a = tl.load(x + row * columns + n, mask=n < columns, other=0.0)
    counts = (n < columns).to(tl.float32)
    count, mean, spread = tl.reduce((counts, a, tl.zeros_like(a)), 0, joined)
    tl.store(means + row, mean)
    tl.store(variances + row, spread / count)


@triton.jit
def routing_kernel(
    scores, weights, experts, count, K: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """The K largest scores of a row: their softmax and their places, of ties the first. Score and
    place travel in one int64, in an order that is that of the scores."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    score = tl.load(scores + row * count + n, mask=n < count, other=-float("inf"))
    bits = score.to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    keys = (ordered.to(tl.int64) << 32) | (BLOCK - 1 - n).to(tl.int64)
    best = tl.topk(keys, K)
    place = BLOCK - 1 - (best & 0xFFFFFFFF).to(tl.int32)
    ordered = (best >> 32).to(tl.int32)
    score = (ordered ^ ((ordered >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    k = tl.arange(0, K)
    tl.store(experts + row * K + k, place)
    tl.store(weights + row * K + k, tl.softmax(score))


@triton.jit
def sort_rows_kernel(
    x, out, medians, columns, DESCENDING: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """Each row in order, and its median, of two the lower."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    last = -float("inf") if DESCENDING else float("inf")
    a = tl.load(x + row * columns + n, mask=n < columns, other=last)
    a = tl.sort(a, descending=DESCENDING)
    tl.store(out + row * columns + n, a, mask=n < columns)
    middle = columns // 2 if DESCENDING else (columns - 1) // 2
    tl.store(medians + row, tl.sum(tl.where(n == middle, a, 0.0), axis=0))


@triton.jit
def histogram_kernel(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """Each program counts on its own, and adds what it found at once."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    found = tl.histogram(tl.load(x + at, mask=at < n, other=0).to(tl.int32), BINS, mask=at < n)
    tl.atomic_add(counts + tl.arange(0, BINS), found, sem="relaxed")
