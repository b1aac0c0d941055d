; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = bit_and f, f : f32  ; error: ssa-verifier: op #0 'bit_and': bit_and requires int or bool, got f32
}
