; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        condition t
        yield 1
    }
    store i, %1, none  ; error: ssa-verifier: op #3 'store': %1 used before definition
}
