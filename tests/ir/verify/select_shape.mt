; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = cmp_lt %0, n : vector<4 x bool>
    %2 = select %1, 1.0, 0.0 : f32  ; error: ssa-verifier: op #2 'select': result must be vector<4 x f32>, got f32
}
