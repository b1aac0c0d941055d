; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    if t {
    }
    %0 = if t : i32 {
        if t {
        }
        yield n
    } else {
        yield n
    }
    store i, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, n, none
}
