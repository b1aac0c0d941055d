; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=8} : vector<4 x i32>  ; error: ssa-verifier: op #0 'arange': result must be vector<8 x i32>, got vector<4 x i32>
}
