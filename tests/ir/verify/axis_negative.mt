; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = num_programs {axis=-1} : i32  ; error: ssa-verifier: op #0 'num_programs': axis must be 0, 1 or 2, got -1
}
