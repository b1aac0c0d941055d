"""Algorithms whose course hangs on the data, or that move lanes: search, iteration, FFT, ..."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def search_kernel(sorted_values, x, out, n, count, RIGHT: tl.constexpr, BLOCK: tl.constexpr):
    """Each lane looks for its own place by halving; as torch.searchsorted."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    value = tl.load(x + at, mask=mask, other=0.0)
    low = tl.zeros((BLOCK,), tl.int32)
    high = low + count
    while tl.max(high - low, axis=0) > 0:
        middle = (low + high) // 2
        there = tl.load(sorted_values + middle, mask=middle < high, other=0.0)
        if RIGHT:
            beyond = there <= value
        else:
            beyond = there < value
        beyond = beyond & (low < high)
        low = tl.where(beyond, middle + 1, low)
        high = tl.where(beyond, high, middle)
    tl.store(out + at, low, mask=mask)


@triton.jit
def escape_kernel(real, imaginary, counts, n, most, BLOCK: tl.constexpr):
    """How many steps of z -> z z + c stay within |z| <= 2; ends with the last lane."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    cx, cy = tl.load(real + at, mask=mask, other=9.0), tl.load(imaginary + at, mask=mask, other=9.0)
    x, y = tl.zeros_like(cx), tl.zeros_like(cy)
    count = tl.zeros((BLOCK,), tl.int32)
    alive = mask
    for _ in range(most):
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
        alive = alive & (x * x + y * y <= 4.0)
        if tl.sum(alive.to(tl.int32), axis=0) == 0:
            break
        count += alive.to(tl.int32)
    tl.store(counts + at, count, mask=mask)


@triton.jit
def largest_few_kernel(x, values, places, columns, K, BLOCK: tl.constexpr):
    """The K largest of a row, one after the other, each taken out of the block."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    a = tl.load(x + row * columns + n, mask=n < columns, other=-float("inf"))
    for k in range(K):
        best, place = tl.max(a, axis=0, return_indices=True)
        tl.store(values + row * K + k, best)
        tl.store(places + row * K + k, place)
        a = tl.where(n == place, -float("inf"), a)


@triton.jit
def sparse_product_kernel(starts, columns, entries, x, out, width, BLOCK: tl.constexpr):
    """A row of a matrix in CSR form times a dense one of `width` columns."""
    row = tl.program_id(0)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(tl.load(starts + row), tl.load(starts + row + 1)):
        at = tl.load(columns + i) * width + n
        total += tl.load(entries + i) * tl.load(x + at, mask=n < width, other=0.0)
    tl.store(out + row * width + n, total, mask=n < width)


@triton.jit
def fourier_kernel(x, out, cosines, sines, N: tl.constexpr, LEVELS: tl.constexpr):
    """A row's Fourier transform, of 2**LEVELS = N complex lanes, by Stockham's method: no lane has
    to be moved at the end. cosines and sines: of 2 pi k / N, k < N / 2."""
    row = tl.program_id(0) * 2 * N
    at = tl.arange(0, N)
    real, imaginary = tl.load(x + row + 2 * at), tl.load(x + row + 2 * at + 1)
    for level in tl.static_range(LEVELS):
        # Lane j of the first half meets lane j of the second; runs of 2**level have one angle.
        a, b = tl.split(tl.permute(tl.reshape(real, (2, N // 2)), (1, 0)))
        c, d = tl.split(tl.permute(tl.reshape(imaginary, (2, N // 2)), (1, 0)))
        angle = (tl.arange(0, N // 2) >> level) << level
        cos, sin = tl.load(cosines + angle), -tl.load(sines + angle)
        less, less_imaginary = a - b, c - d
        turned = less * cos - less_imaginary * sin
        turned_imaginary = less * sin + less_imaginary * cos
        # Runs of sums and of differences in turn.
        run = 1 << level
        shape = (N // 2 // run, run)
        real = tl.reshape(
            tl.permute(tl.join(tl.reshape(a + b, shape), tl.reshape(turned, shape)), (0, 2, 1)),
            (N,),
        )
        imaginary = tl.reshape(
            tl.permute(
                tl.join(tl.reshape(c + d, shape), tl.reshape(turned_imaginary, shape)), (0, 2, 1)
            ),
            (N,),
        )
    tl.store(out + row + 2 * at, real)
    tl.store(out + row + 2 * at + 1, imaginary)


@triton.jit
def exchanged(a, STEP: tl.constexpr, BLOCK: tl.constexpr):
    """Each lane has what lane `i ^ STEP` had."""
    left, right = tl.split(tl.permute(tl.reshape(a, (BLOCK // 2 // STEP, 2, STEP)), (0, 2, 1)))
    return tl.reshape(tl.permute(tl.join(right, left), (0, 2, 1)), (BLOCK,))


@triton.jit
def bitonic_kernel(x, out, columns, LEVELS: tl.constexpr, BLOCK: tl.constexpr):
    """A row in order, by a network of comparisons; BLOCK = 2**LEVELS."""
    row = tl.program_id(0) * columns
    n = tl.arange(0, BLOCK)
    a = tl.load(x + row + n, mask=n < columns, other=float("inf"))
    for level in tl.static_range(1, LEVELS + 1):
        for step in tl.static_range(level):
            apart = 1 << (level - 1 - step)
            other = exchanged(a, apart, BLOCK)
            ascending = (n & (1 << level)) == 0
            lower = (n & apart) == 0
            a = tl.where(ascending == lower, tl.minimum(a, other), tl.maximum(a, other))
    tl.store(out + row + n, a, mask=n < columns)


@triton.jit
def convolution_2d_kernel(
    x, weight, bias, out, channels, height, width, filters, out_height, out_width, stride, pad,
    SIZE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """A convolution as a matrix product whose left matrix, (pixels, channels SIZE SIZE), is made up
    from x (images, channels, height, width) as it goes."""
    image = tl.program_id(2)
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    filter = tl.program_id(1) * BN + tl.arange(0, BN)
    top, left = pixel // out_width * stride - pad, pixel % out_width * stride - pad
    inner = channels * SIZE * SIZE
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, inner, BK):
        k = start + tl.arange(0, BK)
        channel, tap = k // (SIZE * SIZE), k % (SIZE * SIZE)
        row = top[:, None] + (tap // SIZE)[None, :]
        column = left[:, None] + (tap % SIZE)[None, :]
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        at = ((image * channels + channel[None, :]) * height + row) * width + column
        patch = tl.load(x + at, mask=inside & (k[None, :] < inner), other=0.0)
        taps = tl.load(
            weight + filter[None, :] * inner + k[:, None],
            mask=(filter[None, :] < filters) & (k[:, None] < inner),
            other=0.0,
        )
        total = tl.dot(patch, taps, total, input_precision="ieee")
    if bias is not None:
        total += tl.load(bias + filter, mask=filter < filters, other=0.0)[None, :]
    at = (image * filters + filter[None, :]) * (out_height * out_width) + pixel[:, None]
    mask = (filter[None, :] < filters) & (pixel[:, None] < out_height * out_width)
    tl.store(out + at, total, mask=mask)
