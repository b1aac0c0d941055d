; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id : i32  ; error: ssa-verifier: op #0 'program_id': attribute axis is missing
}
