; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, %1, none  ; error: ssa-verifier: op #0 'store': %1 used before definition
}
