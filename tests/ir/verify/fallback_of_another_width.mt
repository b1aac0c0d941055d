; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = load q, true, 0.0 : f16  ; error: ssa-verifier: op #0 'load': load fallback must be convertible to f16, got f32
}
