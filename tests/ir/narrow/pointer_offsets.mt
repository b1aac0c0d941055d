; run: --passes narrow,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %2 = splat 0_i64 : vector<64 x i64>
    %3 = for %4 in range(0, n, 1) iter_args(%5 = %2) : vector<64 x i64> {
        %6 = addptr %1, %5 : vector<64 x ptr<f32>>
        store %6, 1.0, none
        %7 = cast %4 : i64
        %8 = splat %7 : vector<64 x i64>
        %9 = add %8, %5 : vector<64 x i64>
        yield %9
    }
    %10 = addptr %1, %3 : vector<64 x ptr<f32>>
    store %10, 2.0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %12 = for %4 in range(0, n, 1) iter_args(%11 = 0_i64) : i64 {
        %6 = addptr %1, %11 : vector<64 x ptr<f32>>
        store %6, 1.0, none
        %7 = cast %4 : i64
        %13 = add %11, %7 : i64
        yield %13
    }
    %10 = addptr %1, %12 : vector<64 x ptr<f32>>
    store %10, 2.0, none
}
