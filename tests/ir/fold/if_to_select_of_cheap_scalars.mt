; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if t : f32 {
        %1 = mul f, 2.0 : f32
        %2 = add %1, 1.0 : f32
        yield %2
    } else {
        %3 = if t : f32 {
            yield 9.0
        } else {
            %4 = neg f : f32
            yield %4
        }
        yield %3
    }
    store x, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %1 = mul f, 2.0 : f32
    %2 = add %1, 1.0 : f32
    %4 = neg f : f32
    %0 = select t, %2, %4 : f32
    store x, %0, none
}
