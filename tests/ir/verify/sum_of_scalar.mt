; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = sum f : f32  ; error: ssa-verifier: op #0 'sum': sum requires a block, got f32
}
