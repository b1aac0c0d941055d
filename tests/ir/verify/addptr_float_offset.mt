; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = addptr x, 1.0 : ptr<f32>  ; error: ssa-verifier: op #0 'addptr': pointer offset must be an int, got f32
}
