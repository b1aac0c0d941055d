; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=0.5} : i32  ; error: expected a whole number, got '0.5'
}
