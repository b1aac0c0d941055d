; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %2 in range(0, n, 1) iter_args(%3 = f) : f32, f32 {  ; error: ssa-verifier: op #0 'for': expected as many initial and carried values as results, 2
        yield %3, %3
    }
}
