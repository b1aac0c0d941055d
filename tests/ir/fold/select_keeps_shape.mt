; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = addptr x, %0 : vector<4 x ptr<f32>>
    %2 = cmp_lt %0, n : vector<4 x bool>
    %3 = select %2, f, f : vector<4 x f32>
    store %1, %3, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = addptr x, %0 : vector<4 x ptr<f32>>
    %2 = cmp_lt %0, n : vector<4 x bool>
    %3 = select %2, f, f : vector<4 x f32>
    store %1, %3, none
}
