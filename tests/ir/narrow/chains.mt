; run: --passes narrow,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = for %2 in range(0, n, 1) iter_args(%3 = %0) : vector<64 x i32> {
        %4 = add 1, %3 : vector<64 x i32>
        %5 = addptr x, %4 : vector<64 x ptr<f32>>
        store %5, 1.0, none
        %6 = load i, none, none : i32
        %7 = sub %4, %6 : vector<64 x i32>
        %8 = add %7, %2 : vector<64 x i32>
        yield %8
    }
    %9 = addptr x, %1 : vector<64 x ptr<f32>>
    store %9, 2.0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %11 = for %2 in range(0, n, 1) iter_args(%10 = 0) : i32 {
        %3 = add %0, %10 : vector<64 x i32>
        %4 = add 1, %3 : vector<64 x i32>
        %5 = addptr x, %4 : vector<64 x ptr<f32>>
        store %5, 1.0, none
        %6 = load i, none, none : i32
        %12 = add %10, 1 : i32
        %13 = sub %12, %6 : i32
        %14 = add %13, %2 : i32
        yield %14
    }
    %1 = add %0, %11 : vector<64 x i32>
    %9 = addptr x, %1 : vector<64 x ptr<f32>>
    store %9, 2.0, none
}
