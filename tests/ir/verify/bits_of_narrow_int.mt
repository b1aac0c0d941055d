; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = popc s : i32  ; error: ssa-verifier: op #0 'popc': popc requires int of 32 or 64 bits, got i8
}
