; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    if t {
        %0 = add n, 1 : i32
    } else {
        store i, %0, none  ; error: ssa-verifier: op #3 'store': %0 used before definition
    }
}
