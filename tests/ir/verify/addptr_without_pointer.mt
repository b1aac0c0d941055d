; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = addptr n, 1 : ptr<i32>  ; error: ssa-verifier: op #0 'addptr': expected pointer, got i32
}
