; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=4, end=4} : vector<1 x i32>  ; error: ssa-verifier: op #0 'arange': range must not be empty, got width 0
}
