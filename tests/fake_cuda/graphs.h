// Kernels as tracing leaves them, their inputs and what they should give.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "front/trace.h"

namespace mytriton {

// A program has kRows rows of kColumns lanes.
constexpr int kRows = 2;
constexpr int kColumns = 8192;

// def add_kernel(x, y, out, n): out[at] = x[at] + y[at], 256 lanes a program
inline Graph add_graph() {
    Trace t("add_kernel");
    NodeId x = t.param("x", Type::pointer(Scalar::f32));
    NodeId y = t.param("y", Type::pointer(Scalar::f32));
    NodeId out = t.param("out", Type::pointer(Scalar::f32));
    NodeId n = t.param("n", Type::scalar(Scalar::i32));
    NodeId start = t.apply(Op::mul, {t.program_id(0, {}), t.int_constant(256)}, {});
    NodeId at = t.apply(Op::add, {start, t.arange(0, 256, {})}, {});
    NodeId mask = t.apply(Op::cmp_lt, {at, n}, {});
    NodeId a = t.load(t.apply(Op::add, {x, at}, {}), mask, kNoNode, {}, {});
    NodeId b = t.load(t.apply(Op::add, {y, at}, {}), mask, kNoNode, {}, {});
    t.store(t.apply(Op::add, {out, at}, {}), t.apply(Op::add, {a, b}, {}), mask, {}, {});
    return t.graph();
}

// def sum_kernel(x, out, n): out[p1, p0] = sum(x[p1 * num0 + p0, :n]), rows of n, 512 lanes
inline Graph sum_graph() {
    Trace t("sum_kernel");
    NodeId x = t.param("x", Type::pointer(Scalar::f32));
    NodeId out = t.param("out", Type::pointer(Scalar::f32));
    NodeId n = t.param("n", Type::scalar(Scalar::i32));
    NodeId row = t.apply(Op::mul, {t.program_id(1, {}), t.num_programs(0, {})}, {});
    row = t.apply(Op::add, {row, t.program_id(0, {})}, {});
    NodeId lanes = t.arange(0, 512, {});
    NodeId at = t.apply(Op::add, {t.apply(Op::mul, {row, n}, {}), lanes}, {});
    NodeId mask = t.apply(Op::cmp_lt, {lanes, n}, {});
    NodeId loaded = t.load(t.apply(Op::add, {x, at}, {}), mask, t.float_constant(0.0), {}, {});
    NodeId sum = t.apply(Op::sum, {loaded}, {});
    t.store(t.apply(Op::add, {out, row}, {}), sum, kNoNode, {}, {});
    return t.graph();
}

// def softmax_kernel(x, out): kRows rows a program, along the second axis; the rows are turned
// about in between, so that lanes change places in shared memory, of which there are 64 KB.
inline Graph softmax_graph() {
    Trace t("softmax_kernel");
    NodeId x = t.param("x", Type::pointer(Scalar::f32));
    NodeId out = t.param("out", Type::pointer(Scalar::f32));
    NodeId size = t.int_constant(kRows * kColumns);
    NodeId start = t.apply(Op::mul, {t.program_id(0, {}), size}, {});
    NodeId at = t.apply(Op::add, {start, t.arange(0, kRows * kColumns, {})}, {});
    at = t.reshape(at, {kRows, kColumns}, {});
    NodeId loaded = t.load(t.apply(Op::add, {x, at}, {}), kNoNode, kNoNode, {}, {});
    NodeId turned = t.permute(loaded, {1, 0}, {});
    NodeId top = t.reduce(Op::max, turned, 0, true, {});
    NodeId power = t.apply(Op::exp, {t.apply(Op::sub, {turned, top}, {})}, {});
    NodeId sum = t.reduce(Op::sum, power, 0, true, {});
    NodeId value = t.permute(t.apply(Op::div, {power, sum}, {}), {1, 0}, {});
    t.store(t.apply(Op::add, {out, at}, {}), value, kNoNode, {}, {});
    return t.graph();
}

// def count_kernel(x, counts, n): atomic_add(counts + x[at], 1), 128 lanes a program
inline Graph count_graph() {
    Trace t("count_kernel");
    NodeId x = t.param("x", Type::pointer(Scalar::i32));
    NodeId counts = t.param("counts", Type::pointer(Scalar::i32));
    NodeId n = t.param("n", Type::scalar(Scalar::i32));
    NodeId start = t.apply(Op::mul, {t.program_id(0, {}), t.int_constant(128)}, {});
    NodeId at = t.apply(Op::add, {start, t.arange(0, 128, {})}, {});
    NodeId mask = t.apply(Op::cmp_lt, {at, n}, {});
    NodeId bin = t.load(t.apply(Op::add, {x, at}, {}), mask, kNoNode, {}, {});
    t.atomic_rmw(t.apply(Op::add, {counts, bin}, {}), t.int_constant(1), mask,
                 {{AttrKey::rmw, static_cast<int64_t>(Rmw::add)},
                  {AttrKey::sem, static_cast<int64_t>(MemSem::acq_rel)},
                  {AttrKey::scope, static_cast<int64_t>(MemScope::gpu)}},
                 {});
    return t.graph();
}

}  // namespace mytriton
