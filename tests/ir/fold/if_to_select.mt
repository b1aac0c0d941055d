; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=8} : vector<8 x i32>
    %1 = cast %0 : vector<8 x f32>
    %2 = exp %1 : vector<8 x f32>
    %3, %4 = if t : vector<8 x f32>, i32 {
        yield %1, n
    } else {
        yield %2, 4
    }
    %5 = addptr x, %0 : vector<8 x ptr<f32>>
    store %5, %3, none
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=8} : vector<8 x i32>
    %1 = cast %0 : vector<8 x f32>
    %2 = exp %1 : vector<8 x f32>
    %3 = select t, %1, %2 : vector<8 x f32>
    %4 = select t, n, 4 : i32
    %5 = addptr x, %0 : vector<8 x ptr<f32>>
    store %5, %3, none
    store i, %4, none
}
