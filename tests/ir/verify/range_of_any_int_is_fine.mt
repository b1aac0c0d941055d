; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0_u8, 255_u8, 3_u8) {
        store i, 1, none
    }
    %1 = while iter_args(%2 = 0_i64) : i64 {
        condition t
        for %3 in range(%2, 4_i64, -1_i64) {
        }
        yield 1_i64
    }
}
