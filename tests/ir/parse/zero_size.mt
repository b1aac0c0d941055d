; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=0} : vector<0 x i32>  ; error: expected sizes of at least 1, got '0'
}
