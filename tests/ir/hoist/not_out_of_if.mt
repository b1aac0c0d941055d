; run: --passes hoist
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %1 = cmp_lt %0, 4 : bool
        if %1 {
            %2 = exp f : f32
            store x, %2, none
            for %3 in range(0, %0, 1) {
                %4 = log f : f32
                store x, %4, none
            }
        }
        if t {
            store i, %0, none
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %1 = cmp_lt %0, 4 : bool
        if %1 {
            %2 = exp f : f32
            store x, %2, none
            %4 = log f : f32
            for %3 in range(0, %0, 1) {
                store x, %4, none
            }
        }
        if t {
            store i, %0, none
        }
    }
}
