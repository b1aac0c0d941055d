; run: --emit ssa
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %5, %6 = for %0 in range(0, n, 1) iter_args(%1 = 0.0, %2 = 0_i64) : f32, i64 {
        %3 = addptr x, %2 : ptr<f32>
        %4 = load %3, none, none : f32
        %7 = add %2, 1_i64 : i64
        yield %4, %7
    }
    %8 = if t : f32 {
        yield %5
    } else {
        for %9 in range(n, 0, -1) { }
        yield 0.0
    }
    %15 = while iter_args(%12 = %8) : f32 {
        %13 = cmp_gt %12, 1.0 : bool
        condition %13
        %14 = mul %12, 0.5 : f32
        yield %14
    }
    while { condition t yield }
    if t { yield } else { yield }
    if t { yield } else { store x, %15, none }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %5, %6 = for %0 in range(0, n, 1) iter_args(%1 = 0.0, %2 = 0_i64) : f32, i64 {
        %3 = addptr x, %2 : ptr<f32>
        %4 = load %3, none, none : f32
        %7 = add %2, 1_i64 : i64
        yield %4, %7
    }
    %8 = if t : f32 {
        yield %5
    } else {
        for %9 in range(n, 0, -1) {
        }
        yield 0.0
    }
    %15 = while iter_args(%12 = %8) : f32 {
        %13 = cmp_gt %12, 1.0 : bool
        condition %13
        %14 = mul %12, 0.5 : f32
        yield %14
    }
    while {
        condition t
    }
    if t {
    }
    if t {
    } else {
        store x, %15, none
    }
}
