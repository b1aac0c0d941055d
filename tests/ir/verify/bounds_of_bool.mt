; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(false, t, true) {  ; error: ssa-verifier: op #0 'for': bounds must be int scalars, got bool
        store i, 1, none
    }
}
