; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %0 in range(0, n, 1) iter_args(%1 = 0) : i32 {  ; error: ssa-verifier: op #0 'for': duplicate definition of %0
        yield %1
    }
}
