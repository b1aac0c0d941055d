; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = popc w : i64  ; error: ssa-verifier: op #0 'popc': result must be i32, got i64
}
