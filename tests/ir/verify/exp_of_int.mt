; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = exp 1 : i32  ; error: ssa-verifier: op #0 'exp': exp requires float, got i32
}
