; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    store p, 7, none  ; error: ssa-verifier: op #0 'store': stored value must be convertible to u8, got i32
}
