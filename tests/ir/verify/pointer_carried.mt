; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, n, 1) iter_args(%2 = x) : ptr<f32> {  ; error: ssa-verifier: op #0 'for': regions give numbers, not ptr<f32>
        yield %2
    }
}
