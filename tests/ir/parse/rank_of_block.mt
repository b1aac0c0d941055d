; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=9} : block<9 x i32>  ; error: a block of rank 1 is a vector, of a higher rank a block, got 'block'
}
