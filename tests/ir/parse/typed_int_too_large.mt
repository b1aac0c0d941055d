; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 256_u8, 256_u8 : i32  ; error: expected a value, a parameter, a constant or none, got '256_u8'
}
