; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = add u, 1 : u32  ; error: ssa-verifier: op #0 'add': add cannot combine u32 and i32
}
