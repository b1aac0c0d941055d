; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = shl f, 2.0 : f32  ; error: ssa-verifier: op #0 'shl': shl requires int, got f32
}
