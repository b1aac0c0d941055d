; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    if t {
        %0 = add n, 1 : i32
        store i, %0, none
    } else {
        %1 = add n, 1 : i32
        store i, %1, none
    }
    for %2 in range(0, n, 1) {
        %3 = add n, 1 : i32
        store i, %3, none
    }
    %4 = add n, 1 : i32
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    if t {
        %0 = add n, 1 : i32
        store i, %0, none
    } else {
        %1 = add n, 1 : i32
        store i, %1, none
    }
    for %2 in range(0, n, 1) {
        %3 = add n, 1 : i32
        store i, %3, none
    }
    %4 = add n, 1 : i32
    store i, %4, none
}
