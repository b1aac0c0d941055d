; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=8} : vector<8 x i32>
    %1 = cmp_lt %0, n : vector<8 x bool>
    if %1 {  ; error: ssa-verifier: op #2 'if': condition must be a bool scalar, got vector<8 x bool>
        store i, 1, none
    }
}
