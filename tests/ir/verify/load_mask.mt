; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = load x, 1, none : f32  ; error: ssa-verifier: op #0 'load': mask must be bool, got i32
}
