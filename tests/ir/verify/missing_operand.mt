; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add n, none : i32  ; error: ssa-verifier: op #0 'add': operand 1 is missing
}
