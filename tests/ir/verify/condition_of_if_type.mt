; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    if n {  ; error: ssa-verifier: op #0 'if': condition must be a bool scalar, got i32
        store i, 1, none
    }
}
