; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = addptr p, h : ptr<u8>  ; error: ssa-verifier: op #0 'addptr': pointer offset must be an int, got f16
}
