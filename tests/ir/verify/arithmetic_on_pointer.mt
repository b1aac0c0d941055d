; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add x, 1 : ptr<f32>  ; error: ssa-verifier: op #0 'add': add requires float or int or bool, got ptr<f32>
}
