; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for range(0, n, 1) {  ; error: expected an index such as %0, got 'range'
    }
}
