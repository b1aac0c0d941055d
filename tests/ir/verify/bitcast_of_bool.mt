; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = bitcast t : i8  ; error: ssa-verifier: op #0 'bitcast': cannot cast bool to i8
}
