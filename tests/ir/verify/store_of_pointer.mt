; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, x, none  ; error: ssa-verifier: op #0 'store': stored value must be convertible to f32, got ptr<f32>
}
