; run: --passes hoist
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %1 = load x, none, none : f32
        %2 = add %1, f : f32
        %3 = exp f : f32
        store x, %2, none
        print "f", %3
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %3 = exp f : f32
    for %0 in range(0, n, 1) {
        %1 = load x, none, none : f32
        %2 = add %1, f : f32
        store x, %2, none
        print "f", %3
    }
}
