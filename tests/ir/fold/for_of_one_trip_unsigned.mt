; run: --passes fold
kernel k(u: ptr<u32>) {
    for %0 in range(4294967295_u32, 0_u32, 1_u32) {
        store u, %0, none
    }
    for %1 in range(0_u32, 4294967295_u32, 4294967295_u32) {
        store u, %1, none
    }
}
; ---
kernel k(u: ptr<u32>) {
    store u, 0_u32, none
}
