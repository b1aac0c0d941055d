; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = mul w, 0.5 : f32  ; error: ssa-verifier: op #0 'mul': mul cannot combine i64 and f32
}
