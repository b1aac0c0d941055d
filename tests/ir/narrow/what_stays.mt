; run: --passes narrow
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = cast %0 : vector<64 x f32>
    %2, %3, %4, %5, %6 = for %7 in range(0, n, 1) iter_args(%8 = %1, %9 = %0, %10 = %0, %11 = %0, %12 = n) : vector<64 x f32>, vector<64 x i32>, vector<64 x i32>, vector<64 x i32>, i32 {
        %13 = add %8, 1.0 : vector<64 x f32>
        %14 = add %9, %0 : vector<64 x i32>
        %15 = sub 64, %10 : vector<64 x i32>
        %16 = mul %11, 2 : vector<64 x i32>
        %17 = add %12, 64 : i32
        yield %13, %14, %15, %16, %17
    }
    %18 = add %3, %4 : vector<64 x i32>
    %19 = add %5, %6 : vector<64 x i32>
    %20 = add %18, %19 : vector<64 x i32>
    %21 = addptr x, %20 : vector<64 x ptr<f32>>
    store %21, %2, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = cast %0 : vector<64 x f32>
    %2, %3, %4, %5, %6 = for %7 in range(0, n, 1) iter_args(%8 = %1, %9 = %0, %10 = %0, %11 = %0, %12 = n) : vector<64 x f32>, vector<64 x i32>, vector<64 x i32>, vector<64 x i32>, i32 {
        %13 = add %8, 1.0 : vector<64 x f32>
        %14 = add %9, %0 : vector<64 x i32>
        %15 = sub 64, %10 : vector<64 x i32>
        %16 = mul %11, 2 : vector<64 x i32>
        %17 = add %12, 64 : i32
        yield %13, %14, %15, %16, %17
    }
    %18 = add %3, %4 : vector<64 x i32>
    %19 = add %5, %6 : vector<64 x i32>
    %20 = add %18, %19 : vector<64 x i32>
    %21 = addptr x, %20 : vector<64 x ptr<f32>>
    store %21, %2, none
}
