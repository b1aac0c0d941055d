"""Kernels of (x, n) with one mistake each in scans, sorting, gathering and combining: x points to
floats, n is an int."""

import mytriton
import mytriton.language as tl


def scan_axis(x, n):
    tl.cumsum(tl.zeros((4, 8), tl.float32), 2)


def scan_axis_at_run_time(x, n):
    tl.cumprod(tl.arange(0, 8), axis=n)


def scan_of_scalar(x, n):
    tl.cumsum(n)


def scan_of_pointers(x, n):
    tl.cumsum(x + tl.arange(0, 8))


def scan_reverse(x, n):
    tl.arange(0, 8).cumsum(reverse=n)


def sort_dim(x, n):
    tl.sort(tl.zeros((4, 8), tl.float32), dim=-3)


def sort_of_scalar(x, n):
    tl.sort(n)


def sort_of_pointers(x, n):
    tl.sort(x + tl.arange(0, 8))


def sort_descending(x, n):
    tl.sort(tl.arange(0, 8), descending=2)


def squeezed_axis(x, n):
    tl.squeeze(tl.zeros((4, 8), tl.float32), 0)


def squeezed_vector(x, n):
    tl.squeeze(tl.arange(0, 1), 0)


def topk_count(x, n):
    tl.topk(tl.arange(0, 8), 9)


def topk_count_at_run_time(x, n):
    tl.topk(tl.arange(0, 8), n)


def gather_axis(x, n):
    tl.gather(tl.arange(0, 8), tl.arange(0, 4), 1)


def gather_rank(x, n):
    tl.gather(tl.zeros((4, 8), tl.float32), tl.arange(0, 8), 1)


def gather_other_sizes(x, n):
    tl.gather(tl.zeros((4, 8), tl.float32), tl.zeros((3, 8), tl.int32), 1)


def gather_index(x, n):
    tl.gather(tl.arange(0, 8), tl.zeros((8,), tl.float32), 0)


def gather_scalar_index(x, n):
    tl.gather(tl.arange(0, 8), n, 0)


def histogram_bins(x, n):
    tl.histogram(tl.arange(0, 8), n)


def histogram_no_bins(x, n):
    tl.histogram(tl.arange(0, 8), 0)


def histogram_of_floats(x, n):
    tl.histogram(tl.zeros((8,), tl.float32), 4)


def histogram_mask(x, n):
    tl.histogram(tl.arange(0, 8), 4, mask=tl.arange(0, 8))


def histogram_mask_shape(x, n):
    tl.histogram(tl.arange(0, 8), 4, mask=tl.arange(0, 4) < n)


def add(a, b):
    return a + b


@mytriton.jit
def two(a, b, c, d):
    return a + c, b + d


def reduce_axis(x, n):
    tl.reduce(tl.zeros((4, 8), tl.float32), 2, add)


def reduce_lanes(x, n):
    tl.reduce(tl.arange(0, 12), 0, add)


def reduce_all_lanes(x, n):
    tl.reduce(tl.zeros((4, 3), tl.float32), None, add)


def reduce_of_scalar(x, n):
    tl.reduce(n, 0, add)


def reduce_of_two_shapes(x, n):
    tl.reduce((tl.arange(0, 8), tl.arange(0, 4)), 0, two)


def reduce_of_nothing(x, n):
    tl.reduce((), 0, add)


def reduce_keep_dims(x, n):
    tl.reduce(tl.arange(0, 8), 0, add, keep_dims=n)


def combine_is_no_function(x, n):
    tl.reduce(tl.arange(0, 8), 0, "add")


def combine_takes_four(x, n):
    tl.reduce(tl.arange(0, 8), 0, two)


def combine_takes_two(x, n):
    tl.associative_scan((tl.arange(0, 8), tl.arange(0, 8)), 0, add)


def combine_gives_two(x, n):
    tl.reduce(tl.arange(0, 8), 0, lambda a, b: (a, b))


def combine_gives_one(x, n):
    tl.associative_scan((tl.arange(0, 8), tl.arange(0, 8)), 0, lambda a, b, c, d: a)


def combine_gives_floats(x, n):
    tl.reduce(tl.arange(0, 8), 0, lambda a, b: a / b)


def combine_gives_wider_ints(x, n):
    tl.associative_scan(tl.zeros((8,), tl.int8), 0, lambda a, b: a + b + n)


def combine_gives_nothing(x, n):
    tl.reduce(tl.arange(0, 8), 0, lambda a, b: None)


def combine_gives_another_shape(x, n):
    tl.reduce(tl.arange(0, 8), 0, lambda a, b: tl.arange(0, 2))


def scan_lanes(x, n):
    tl.associative_scan(tl.zeros((8, 12), tl.float32), 1, add)


def scan_along(x, n):
    tl.associative_scan(tl.arange(0, 8), None, add)


def associative_reverse(x, n):
    tl.associative_scan(tl.arange(0, 8), 0, add, reverse=n)
