; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if t : i32 {
        yield 1
    } else {
        yield 1.0  ; error: ssa-verifier: op #2 'yield': operand 0 must be i32, got f32
    }
}
