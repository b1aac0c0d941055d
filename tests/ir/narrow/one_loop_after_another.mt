; run: --passes narrow,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = splat n : vector<64 x i32>
    %1 = arange {start=0, end=64} : vector<64 x i32>
    %2 = for %3 in range(0, n, 1) iter_args(%4 = %0) : vector<64 x i32> {
        %5 = add %4, 64 : vector<64 x i32>
        yield %5
    }
    %6 = for %7 in range(0, n, 1) iter_args(%8 = %2) : vector<64 x i32> {
        %9 = addptr x, %8 : vector<64 x ptr<f32>>
        store %9, 1.0, none
        %10 = add %8, 1 : vector<64 x i32>
        yield %10
    }
    %11 = add %1, %6 : vector<64 x i32>
    %12 = addptr x, %11 : vector<64 x ptr<f32>>
    store %12, 1.0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %1 = arange {start=0, end=64} : vector<64 x i32>
    %14 = for %3 in range(0, n, 1) iter_args(%13 = n) : i32 {
        %15 = add %13, 64 : i32
        yield %15
    }
    %17 = for %7 in range(0, n, 1) iter_args(%16 = %14) : i32 {
        %8 = splat %16 : vector<64 x i32>
        %9 = addptr x, %8 : vector<64 x ptr<f32>>
        store %9, 1.0, none
        %18 = add %16, 1 : i32
        yield %18
    }
    %11 = add %1, %17 : vector<64 x i32>
    %12 = addptr x, %11 : vector<64 x ptr<f32>>
    store %12, 1.0, none
}
