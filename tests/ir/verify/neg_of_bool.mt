; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = neg t : bool  ; error: ssa-verifier: op #0 'neg': neg requires float or int, got bool
}
