; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=9} : block<1x1x1x1x1x1 x i32>  ; error: expected a block of at most 1048576 lanes and rank 5, got '1x1x1x1x1x1'
}
