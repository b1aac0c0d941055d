"""Kernels of (x, n) with one mistake of shapes each: x points to floats, n is an int."""

import mytriton.language as tl


def operator_shapes(x, n):
    block = tl.zeros((4, 8), tl.float32)
    tl.store(x, tl.sum(block + tl.arange(0, 4)))


def where_shapes(x, n):
    on = tl.arange(0, 4)[:, None] < n
    tl.store(x, tl.sum(tl.where(on, tl.arange(0, 8), tl.zeros((3, 8), tl.int32))))


def pointer_shapes(x, n):
    tl.store(x + tl.arange(0, 3)[:, None] + tl.zeros((4, 5), tl.int32), 1.0)


def load_mask(x, n):
    pointers = x + tl.arange(0, 4)[:, None]
    tl.store(x, tl.sum(tl.load(pointers, mask=tl.arange(0, 8) < n)))


def store_value(x, n):
    pointers = x + tl.arange(0, 4)[:, None]
    tl.store(pointers, tl.zeros((4, 8), tl.float32))


def store_mask(x, n):
    pointers = x + tl.arange(0, 4)
    tl.store(pointers, 1.0, mask=tl.arange(0, 4)[:, None] < n)


def atomic_value(x, n):
    tl.atomic_add(x + tl.arange(0, 4)[:, None], tl.zeros((4, 8), tl.float32))


def broadcast_two(x, n):
    tl.broadcast(tl.arange(0, 4), tl.zeros((4, 8), tl.float32))


def broadcast_to_other_size(x, n):
    tl.broadcast_to(tl.arange(0, 4), (4, 8))


def broadcast_to_lower_rank(x, n):
    tl.zeros((4, 8), tl.float32).broadcast_to(8)


def reshape_lanes(x, n):
    tl.reshape(tl.zeros((4, 8), tl.float32), (4, 9))


def reshape_of_scalar(x, n):
    tl.reshape(n, 1, 1)


def reshape_unknown(x, n):
    tl.zeros((4, 8), tl.float32).view(-1, 5)


def reshape_two_unknown(x, n):
    tl.reshape(tl.arange(0, 8), -1, -1)


def reshape_traced(x, n):
    tl.reshape(tl.arange(0, 8), n, 8)


def axis_beyond(x, n):
    tl.store(x, tl.sum(tl.zeros((4, 8), tl.float32), axis=2))


def axis_of_scalar(x, n):
    tl.store(x, tl.max(n, axis=0))


def axis_traced(x, n):
    tl.store(x, tl.max(tl.arange(0, 8), axis=n))


def keep_dims_number(x, n):
    tl.store(x, tl.max(tl.arange(0, 8), keep_dims=1))


def dtype_of_max(x, n):
    tl.store(x, tl.max(tl.arange(0, 8), dtype=tl.int64))


def expand_beyond(x, n):
    tl.expand_dims(tl.arange(0, 8), 2)


def expand_twice(x, n):
    tl.expand_dims(tl.arange(0, 8), (0, -3))


def permute_twice(x, n):
    tl.permute(tl.zeros((4, 8), tl.float32), (0, 0))


def permute_beyond(x, n):
    tl.permute(tl.zeros((4, 8), tl.float32), 0, 2)


def permute_too_few(x, n):
    tl.trans(tl.zeros((4, 8, 2), tl.float32), 1, 0)


def trans_of_rank_1(x, n):
    tl.store(x, tl.sum(tl.arange(0, 8).T))


def join_shapes(x, n):
    tl.join(tl.arange(0, 4), tl.arange(0, 8))


def join_pointers(x, n):
    tl.join(x, x)


def interleave_shapes(x, n):
    tl.interleave(tl.arange(0, 4), tl.zeros((4, 8), tl.int32))


def split_other_size(x, n):
    tl.split(tl.zeros((2, 4), tl.float32))


def split_scalar(x, n):
    tl.split(n)


def cat_of_rank_2(x, n):
    tl.cat(tl.zeros((2, 4), tl.int32), tl.arange(0, 4))


def cat_along_1(x, n):
    tl.cat(tl.arange(0, 4), tl.arange(0, 4), dim=1)


def index_int(x, n):
    tl.store(x, tl.arange(0, 8)[0])


def index_traced(x, n):
    tl.store(x, tl.arange(0, 8)[n])


def index_slice(x, n):
    tl.store(x, tl.sum(tl.arange(0, 8)[2:4]))


def index_ellipsis(x, n):
    tl.store(x, tl.sum(tl.arange(0, 8)[..., None]))


def index_too_many(x, n):
    tl.store(x, tl.sum(tl.arange(0, 8)[:, None, :]))


def six_axes(x, n):
    tl.zeros((1, 2, 1, 2, 1, 2), tl.float32)


def six_axes_by_index(x, n):
    tl.store(x, tl.sum(tl.zeros((1, 2, 1, 2, 1), tl.float32)[None]))


def six_axes_of_scalar(x, n):
    tl.broadcast_to(n, 1, 1, 1, 1, 1, 1)


def six_axes_by_join(x, n):
    tl.join(tl.zeros((1, 2, 1, 2, 1), tl.float32), 1.0)


def too_many_lanes(x, n):
    tl.store(x, tl.sum(tl.arange(0, 2048)[:, None] * tl.arange(0, 1024)))


def too_many_lanes_broadcast(x, n):
    tl.broadcast_to(n, 2**40, 2**40)


def too_many_lanes_cat(x, n):
    tl.cat(tl.arange(0, 2**20), tl.arange(0, 1))


def size_zero(x, n):
    tl.full((4, 0), 1.0, tl.float32)


def size_negative(x, n):
    tl.reshape(tl.arange(0, 8), -2, -4)
