; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    if t {
        yield  ; error: ssa-verifier: op #1 'yield': expected at the end of a region only
        store i, 1, none
    }
}
