; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if t : i32 {  ; error: ssa-verifier: op #2 'yield': expected 1 values, got 0
        yield 1
    }
}
