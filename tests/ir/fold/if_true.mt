; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if true : i32 {
        %1 = mul n, 1 : i32
        store i, %1, none
        yield %1
    } else {
        store i, 0, none
        yield 7
    }
    store i, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, n, none
    store i, n, none
}
