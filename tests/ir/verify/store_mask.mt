; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, f, 1  ; error: ssa-verifier: op #0 'store': mask must be bool, got i32
}
