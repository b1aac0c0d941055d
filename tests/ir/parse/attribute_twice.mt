; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=0, axis=1} : i32  ; error: an attribute is given once, got 'axis'
}
