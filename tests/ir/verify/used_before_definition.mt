; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, %0, none  ; error: ssa-verifier: op #0 'store': %0 used before definition
    %0 = add 1.0, f : f32
}
