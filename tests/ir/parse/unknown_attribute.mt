; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axes=0} : i32  ; error: expected an attribute, such as axis, got 'axes'
}
