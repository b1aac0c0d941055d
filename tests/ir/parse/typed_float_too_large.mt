; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 65520.0_f16, 65520.0_f16 : i32  ; error: expected a value, a parameter, a constant or none, got '65520.0_f16'
}
