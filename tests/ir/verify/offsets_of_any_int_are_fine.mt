; run: --verify
kernel k(h: f16, d: f64, s: i8, u: u32, w: i64, p: ptr<u8>, q: ptr<f16>) {
    %0 = addptr p, s : ptr<u8>
    %1 = addptr %0, u : ptr<u8>
    %2 = addptr %1, w : ptr<u8>
    store %2, 7_u8, none
}
