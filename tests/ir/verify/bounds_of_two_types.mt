; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, 8_i64, 1) {  ; error: ssa-verifier: op #0 'for': operand 1 must be i32, got i64
        store i, 1, none
    }
}
