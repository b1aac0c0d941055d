; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = load i, true, 1.5 : i32  ; error: ssa-verifier: op #0 'load': load fallback must be convertible to i32, got f32
}
