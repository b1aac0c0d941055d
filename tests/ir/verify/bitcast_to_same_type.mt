; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = bitcast h : f16  ; error: ssa-verifier: op #0 'bitcast': cannot cast f16 to f16
}
