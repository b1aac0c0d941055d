; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = cmp_lt %0, n : vector<4 x bool>
    %2 = sum %1 : i32  ; error: ssa-verifier: op #2 'sum': result must be bool, got i32
}
