; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
    }
    store i, %0, none  ; error: ssa-verifier: op #2 'store': %0 used before definition
}
