; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    store i, %0, none  ; error: ssa-verifier: op #1 'store': a scalar pointer stores a scalar, got value vector<4 x i32>
}
