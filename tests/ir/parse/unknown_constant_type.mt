; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 1_i24, 1_i24 : i32  ; error: expected a value, a parameter, a constant or none, got '1_i24'
}
