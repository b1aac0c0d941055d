; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    store q, 0.5, none  ; error: ssa-verifier: op #0 'store': stored value must be convertible to f16, got f32
}
