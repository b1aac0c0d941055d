"""Layer norm, RMS norm and group norm, and their gradients."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def layer_norm_kernel(
    x, weight, bias, out, means, scales, columns, eps, BLOCK: tl.constexpr
):  # fmt: skip
    """Rows of any width, in blocks; keeps each row's mean and 1 / standard deviation."""
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    lane = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        total += tl.load(x + start + lane, mask=start + lane < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        mask = start + lane < columns
        a = tl.load(x + start + lane, mask=mask, other=0.0).to(tl.float32)
        centred = tl.where(mask, a - mean, 0.0)
        squares += centred * centred
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    for start in range(0, columns, BLOCK):
        n = start + lane
        mask = n < columns
        w, b = tl.load(weight + n, mask=mask), tl.load(bias + n, mask=mask)
        a = tl.load(x + n, mask=mask, other=0.0).to(tl.float32)
        tl.store(out + n, (a - mean) * scale * w + b, mask=mask)


@triton.jit
def row_gradient(x, weight, grad, mean, scale, n, columns):
    """One row's dx, and its shares of the gradients of weight and bias."""
    mask = n < columns
    a = tl.load(x + n, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(grad + n, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weight + n, mask=mask, other=0.0).to(tl.float32)
    normal = tl.where(mask, (a - mean) * scale, 0.0)
    weighted = g * w
    along = tl.sum(normal * weighted, axis=0) / columns
    level = tl.sum(weighted, axis=0) / columns
    return (weighted - (normal * along + level)) * scale, g * normal, g


@triton.jit
def layer_norm_locked_grad_kernel(
    x, weight, grad, dx, partial_dw, partial_db, locks, means, scales, columns,
    GROUPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """dx of one row, whose shares of dw and db join those of its group, under the group's lock.
    `locks`: GROUPS locks, then GROUPS marks that the group has begun; all 0 at first."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    mask = n < columns
    mean, scale = tl.load(means + row), tl.load(scales + row)
    at = row * columns
    d, dw, db = row_gradient(x + at, weight, grad + at, mean, scale, n, columns)
    tl.store(dx + at + n, d, mask=mask)
    group = row % GROUPS
    lock, begun = locks + group, locks + GROUPS + group
    partial_dw += group * columns
    partial_db += group * columns
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(begun, volatile=True) == 0:
        tl.atomic_xchg(begun, 1)
    else:
        dw += tl.load(partial_dw + n, mask=mask, volatile=True)
        db += tl.load(partial_db + n, mask=mask, volatile=True)
    tl.store(partial_dw + n, dw, mask=mask)
    tl.store(partial_db + n, db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def layer_norm_grad_kernel(
    x, weight, grad, dx, partial_dw, partial_db, means, scales, rows, columns, BLOCK: tl.constexpr
):
    """As the locked one, without locks: each program takes several rows and adds in registers."""
    program = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    mask = n < columns
    dw = tl.zeros((BLOCK,), tl.float32)
    db = tl.zeros((BLOCK,), tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        at = row * columns
        mean, scale = tl.load(means + row), tl.load(scales + row)
        d, one_dw, one_db = row_gradient(x + at, weight, grad + at, mean, scale, n, columns)
        tl.store(dx + at + n, d, mask=mask)
        dw += one_dw
        db += one_db
    tl.store(partial_dw + program * columns + n, dw, mask=mask)
    tl.store(partial_db + program * columns + n, db, mask=mask)


@triton.jit
def join_partials_kernel(
    partial_dw, partial_db, dw, db, groups, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """dw and db from the sums that groups of rows left: a loop over tiles, added along axis 0."""
    n = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    dw_tile = tl.zeros((ROWS, COLUMNS), tl.float32)
    db_tile = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, groups, ROWS):
        m = start + tl.arange(0, ROWS)
        mask = (m[:, None] < groups) & (n[None, :] < columns)
        at = m[:, None] * columns + n[None, :]
        dw_tile += tl.load(partial_dw + at, mask=mask, other=0.0)
        db_tile += tl.load(partial_db + at, mask=mask, other=0.0)
    tl.store(dw + n, tl.sum(dw_tile, axis=0), mask=n < columns)
    tl.store(db + n, tl.sum(db_tile, axis=0), mask=n < columns)


@triton.jit
def rms_norm_kernel(x, weight, out, scales, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    mask = n < columns
    a = tl.load(x + row * columns + n, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(a * a, axis=0) / columns + eps)
    tl.store(scales + row, scale)
    tl.store(out + row * columns + n, a * scale * tl.load(weight + n, mask=mask), mask=mask)


@triton.jit
def rms_norm_grad_kernel(x, weight, grad, dx, dw, scales, columns, BLOCK: tl.constexpr):
    """dw (float32, 0 at first) gathers the rows' shares by atomics."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    mask = n < columns
    scale = tl.load(scales + row)
    g = tl.load(grad + row * columns + n, mask=mask, other=0.0).to(tl.float32)
    normal = tl.load(x + row * columns + n, mask=mask, other=0.0).to(tl.float32) * scale
    weighted = g * tl.load(weight + n, mask=mask, other=0.0)
    along = tl.sum(normal * weighted, axis=0) / columns
    tl.store(dx + row * columns + n, (weighted - normal * along) * scale, mask=mask)
    tl.atomic_add(dw + n, g * normal, mask=mask)


@triton.jit
def joined_moments(count_a, mean_a, spread_a, count_b, mean_b, spread_b):
    """Chan's formula: count, mean and sum of squared differences of two sets together."""
    count = count_a + count_b
    difference = mean_b - mean_a
    share = count_b / count
    spread = spread_a + spread_b + difference * difference * count_a * share
    return count, mean_a + difference * share, spread


@triton.jit
def group_norm_kernel(
    x, weight, bias, out, channels, groups, pixels, eps, BLOCK: tl.constexpr
):  # fmt: skip
    """x of shape (images, channels, pixels), a program a group of an image. Moments in one pass."""
    image, group = tl.program_id(0), tl.program_id(1)
    each = channels // groups
    size = each * pixels
    first = (image * channels + group * each) * pixels
    lane = tl.arange(0, BLOCK)
    count, mean, spread = 0.0, 0.0, 0.0
    for start in range(0, size, BLOCK):
        mask = start + lane < size
        a = tl.load(x + first + start + lane, mask=mask, other=0.0).to(tl.float32)
        number = tl.minimum(size - start, BLOCK).to(tl.float32)
        middle = tl.sum(a, axis=0) / number
        centred = tl.where(mask, a - middle, 0.0)
        squares = tl.sum(centred * centred, axis=0)
        count, mean, spread = joined_moments(count, mean, spread, number, middle, squares)
    scale = tl.rsqrt(spread / count + eps)
    for start in range(0, size, BLOCK):
        n = start + lane
        mask = n < size
        channel = group * each + n // pixels
        a = tl.load(x + first + n, mask=mask, other=0.0).to(tl.float32)
        w, b = tl.load(weight + channel, mask=mask), tl.load(bias + channel, mask=mask)
        tl.store(out + first + n, (a - mean) * scale * w + b, mask=mask)


@triton.jit
def group_norm_grad_kernel(
    x, weight, grad, dx, dw, db, channels, groups, pixels, eps, BLOCK: tl.constexpr
):  # fmt: skip
    """dx of one group of one image, whose moments are computed again; its shares of dw and db are
    added to those of other images by atomics, a channel after the other."""
    image, group = tl.program_id(0), tl.program_id(1)
    each = channels // groups
    size = each * pixels
    first = (image * channels + group * each) * pixels
    x, grad, dx = x + first, grad + first, dx + first
    lane = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        total += tl.load(x + start + lane, mask=start + lane < size, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / size
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        mask = start + lane < size
        a = tl.load(x + start + lane, mask=mask, other=0.0).to(tl.float32)
        centred = tl.where(mask, a - mean, 0.0)
        squares += centred * centred
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / size + eps)
    along, all = 0.0, 0.0
    for channel in range(group * each, (group + 1) * each):
        w = tl.load(weight + channel).to(tl.float32)
        gains, shifts = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
        at = (channel - group * each) * pixels
        for start in range(0, pixels, BLOCK):
            mask = start + lane < pixels
            a = tl.load(x + at + start + lane, mask=mask, other=0.0).to(tl.float32)
            g = tl.load(grad + at + start + lane, mask=mask, other=0.0).to(tl.float32)
            gains += g * tl.where(mask, (a - mean) * scale, 0.0)
            shifts += g
        gain, shift = tl.sum(gains, axis=0), tl.sum(shifts, axis=0)
        along += gain * w
        all += shift * w
        tl.atomic_add(dw + channel, gain)
        tl.atomic_add(db + channel, shift)
    for start in range(0, size, BLOCK):
        n = start + lane
        mask = n < size
        w = tl.load(weight + group * each + n // pixels, mask=mask, other=0.0).to(tl.float32)
        a = tl.load(x + n, mask=mask, other=0.0).to(tl.float32)
        g = tl.load(grad + n, mask=mask, other=0.0).to(tl.float32)
        normal = (a - mean) * scale
        tl.store(dx + n, (g * w - (all + normal * along) / size) * scale, mask=mask)
