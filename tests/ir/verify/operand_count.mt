; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add n, 1, 2 : i32  ; error: ssa-verifier: op #0 'add': expected 2 operands, got 3
}
