; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt n, 5 : bool
    %1 = add f, 1.0 : f32
    %2 = load x, %0, %1 : f32
    store x, %2, %0
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt n, 5 : bool
    %1 = add f, 1.0 : f32
    %2 = load x, %0, %1 : f32
    store x, %2, %0
}
