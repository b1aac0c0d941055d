; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, n, 1) iter_args(%2 = f) : i32 {  ; error: ssa-verifier: op #0 'for': operand 3 must be i32, got f32
        yield %1
    }
}
