; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=3} : i32  ; error: ssa-verifier: op #0 'program_id': axis must be 0, 1 or 2, got 3
}
