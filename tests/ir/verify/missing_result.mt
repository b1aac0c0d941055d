; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    add n, 1  ; error: ssa-verifier: op #0 'add': invalid result declaration
}
