; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = store x, f, none : f32  ; error: ssa-verifier: op #0 'store': invalid result declaration
}
