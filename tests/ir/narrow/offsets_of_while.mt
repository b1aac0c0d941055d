; run: --passes narrow,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %1 = arange {start=0, end=64} : vector<64 x i32>
    %2, %3 = while iter_args(%4 = %1, %5 = n) : vector<64 x i32>, i32 {
        %6 = cmp_gt %5, 0 : bool
        condition %6
        %7 = addptr x, %4 : vector<64 x ptr<f32>>
        store %7, 1.0, none
        %8 = sub %4, %5 : vector<64 x i32>
        %9 = sub %5, 1 : i32
        yield %8, %9
    }
    %10 = addptr i, %2 : vector<64 x ptr<i32>>
    store %10, %3, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %1 = arange {start=0, end=64} : vector<64 x i32>
    %12, %3 = while iter_args(%11 = 0, %5 = n) : i32, i32 {
        %4 = add %1, %11 : vector<64 x i32>
        %6 = cmp_gt %5, 0 : bool
        condition %6
        %7 = addptr x, %4 : vector<64 x ptr<f32>>
        store %7, 1.0, none
        %9 = sub %5, 1 : i32
        %13 = sub %11, %5 : i32
        yield %13, %9
    }
    %2 = add %1, %12 : vector<64 x i32>
    %10 = addptr i, %2 : vector<64 x ptr<i32>>
    store %10, %3, none
}
