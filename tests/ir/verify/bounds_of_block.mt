; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=8} : vector<8 x i32>
    for %1 in range(%0, %0, %0) {  ; error: ssa-verifier: op #1 'for': bounds must be int scalars, got vector<8 x i32>
        store i, 1, none
    }
}
