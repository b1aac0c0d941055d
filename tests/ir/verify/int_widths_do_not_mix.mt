; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = add w, 1 : i64  ; error: ssa-verifier: op #0 'add': add cannot combine i64 and i32
}
