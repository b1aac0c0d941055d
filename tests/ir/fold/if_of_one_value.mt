; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = mul n, 3 : i32
    %1, %2 = if t : i32, i32 {
        store i, 1, none
        %3 = add %0, 0 : i32
        yield %3, n
    } else {
        yield %0, 1
    }
    %4 = add %1, %2 : i32
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = mul n, 3 : i32
    %1, %2 = if t : i32, i32 {
        store i, 1, none
        yield %0, n
    } else {
        yield %0, 1
    }
    %4 = add %0, %2 : i32
    store i, %4, none
}
