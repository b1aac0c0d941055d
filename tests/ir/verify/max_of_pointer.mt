; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = max x : f32  ; error: ssa-verifier: op #0 'max': max requires float or int, got ptr<f32>
}
