; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = if t : i32, i32 {
        yield 1, 2
    } else {
        yield 1  ; error: ssa-verifier: op #2 'yield': expected 2 values, got 1
    }
}
