; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = cast_rtz d : i32  ; error: ssa-verifier: op #0 'cast_rtz': cannot cast f64 to i32
}
