; run: --passes unroll
kernel k(s: ptr<i8>, u: ptr<u8>) {
    for %0 in range(3_i8, -128_i8, -100_i8) {
        store s, %0, none
    }
    for %1 in range(254_u8, 255_u8, 1_u8) {
        store u, %1, none
    }
}
; ---
kernel k(s: ptr<i8>, u: ptr<u8>) {
    store s, 3_i8, none
    store s, -97_i8, none
    store u, 254_u8, none
}
