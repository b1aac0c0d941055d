; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = addptr x, %0 : vector<4 x ptr<f32>>
    %2 = mul %0, 1 : vector<4 x i32>
    %3 = mul 1, f : f32
    store %1, %2, none
    store x, %3, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = addptr x, %0 : vector<4 x ptr<f32>>
    %3 = mul 1, f : f32
    store %1, %0, none
    store x, %3, none
}
