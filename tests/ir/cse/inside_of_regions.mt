; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add n, 1 : i32
    for %1 in range(0, n, 1) {
        %2 = add n, 1 : i32
        %3 = add %1, 1 : i32
        if t {
            %4 = add n, 1 : i32
            %5 = add %1, 1 : i32
            %6 = add %4, %5 : i32
            store i, %6, none
        } else {
            %7 = add %2, %3 : i32
            store i, %7, none
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add n, 1 : i32
    for %1 in range(0, n, 1) {
        %3 = add %1, 1 : i32
        if t {
            %6 = add %0, %3 : i32
            store i, %6, none
        } else {
            %7 = add %0, %3 : i32
            store i, %7, none
        }
    }
}
