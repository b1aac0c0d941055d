; run: --emit cuda
; How an index counts: as it is where it cannot pass its type, in 64 bits, or by rounds.
kernel steps(a: ptr<i32>, b: ptr<i64>, c: ptr<u64>, d: ptr<u8>, e: ptr<u32>, n: i32, m: i64, k: u64, step: i32) {
    for %0 in range(0, n, 1) {
        store a, %0, none
    }
    for %1 in range(n, 0, -1) {
        store a, %1, none
    }
    for %2 in range(0, n, 128) {
        store a, %2, none
    }
    for %3 in range(0, 1024, 128) {
        store a, %3, none
    }
    for %4 in range(0, 2147483647, 2) {
        store a, %4, none
    }
    for %5 in range(n, -5, -3) {
        store a, %5, none
    }
    for %6 in range(0, n, step) {
        store a, %6, none
    }
    for %7 in range(n, 0, 0) {
        store a, %7, none
    }
    for %8 in range(3_i64, m, 2_i64) {
        store b, %8, none
    }
    for %9 in range(m, 0_i64, -1_i64) {
        store b, %9, none
    }
    for %10 in range(0_u64, k, 2_u64) {
        store c, %10, none
    }
    for %11 in range(250_u8, 255_u8, 2_u8) {
        store d, %11, none
    }
    for %12 in range(0_u32, 5_u32, 4294967295_u32) {
        store e, %12, none
    }
}
; ---
static __device__ unsigned long long mt_trips_i64(long long start, long long stop,
                                                  long long step) {
    if (step == 0 || (step > 0 ? start >= stop : start <= stop)) {
        return 0;
    }
    const unsigned long long up = (unsigned long long)stop - (unsigned long long)start;
    const unsigned long long size = step;
    return step > 0 ? (up - 1) / size + 1 : (0 - up - 1) / (0 - size) + 1;
}

static __device__ unsigned long long mt_trips_u64(unsigned long long start,
                                                  unsigned long long stop,
                                                  unsigned long long step) {
    return step == 0 || start >= stop ? 0 : (stop - start - 1) / step + 1;
}

extern "C" __global__
void steps(int* a, long long* b, unsigned long long* c, unsigned char* d, unsigned* e, int n, long long m, unsigned long long k, int step) {
    for (int v0 = 0; v0 < n; v0 += 1) {
        a[0] = v0;
    }
    for (int v1 = n; v1 > 0; v1 -= 1) {
        a[0] = v1;
    }
    for (long long mt_i2 = 0; mt_i2 < n; mt_i2 += 128) {
        int v2 = (int)mt_i2;
        a[0] = v2;
    }
    for (int v3 = 0; v3 < 1024; v3 += 128) {
        a[0] = v3;
    }
    for (long long mt_i4 = 0; mt_i4 < 2147483647; mt_i4 += 2) {
        int v4 = (int)mt_i4;
        a[0] = v4;
    }
    for (int v5 = n; v5 > -5; v5 -= 3) {
        a[0] = v5;
    }
    const unsigned long long mt_n6 = mt_trips_i64(0, n, step);
    for (unsigned long long mt_i6 = 0; mt_i6 < mt_n6; mt_i6 += 1) {
        int v6 = (int)(mt_i6 * (unsigned long long)step);
        a[0] = v6;
    }
    const unsigned long long mt_n7 = mt_trips_i64(n, 0, 0);
    for (unsigned long long mt_i7 = 0; mt_i7 < mt_n7; mt_i7 += 1) {
        int v7 = (int)((unsigned long long)n + mt_i7 * (unsigned long long)0);
        a[0] = v7;
    }
    const unsigned long long mt_n8 = mt_trips_i64(3ll, m, 2ll);
    for (unsigned long long mt_i8 = 0; mt_i8 < mt_n8; mt_i8 += 1) {
        long long v8 = (long long)((unsigned long long)3ll + mt_i8 * (unsigned long long)2ll);
        b[0] = v8;
    }
    for (long long v9 = m; v9 > 0ll; v9 -= 1) {
        b[0] = v9;
    }
    const unsigned long long mt_n10 = mt_trips_u64(0ull, k, 2ull);
    for (unsigned long long mt_i10 = 0; mt_i10 < mt_n10; mt_i10 += 1) {
        unsigned long long v10 = (unsigned long long)(mt_i10 * (unsigned long long)2ull);
        c[0] = v10;
    }
    for (long long mt_i11 = (unsigned char)250; mt_i11 < (unsigned char)255; mt_i11 += 2) {
        unsigned char v11 = (unsigned char)mt_i11;
        d[0] = v11;
    }
    const unsigned long long mt_n12 = mt_trips_i64(0u, 5u, 4294967295u);
    for (unsigned long long mt_i12 = 0; mt_i12 < mt_n12; mt_i12 += 1) {
        unsigned v12 = (unsigned)(mt_i12 * (unsigned long long)4294967295u);
        e[0] = v12;
    }
}
