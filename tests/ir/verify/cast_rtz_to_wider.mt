; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = cast_rtz h : f64  ; error: ssa-verifier: op #0 'cast_rtz': cannot cast f16 to f64
}
