; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %1 = load x, none, none : f32
        %2 = load x, none, none {volatile=1} : f32
        if t {
            %3 = exp f : f32
        } else {
            %4 = exp f : f32
            print "f", %4
        }
        for %5 in range(0, %0, 1) {
            store i, %5, none
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %2 = load x, none, none {volatile=1} : f32
        if t {
        } else {
            %4 = exp f : f32
            print "f", %4
        }
        for %5 in range(0, %0, 1) {
            store i, %5, none
        }
    }
}
