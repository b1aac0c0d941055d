; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        condition %1  ; error: ssa-verifier: op #1 'condition': condition must be a bool scalar, got i32
        yield %1
    }
}
