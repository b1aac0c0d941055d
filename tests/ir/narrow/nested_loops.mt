; run: --passes narrow,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = for %2 in range(0, n, 1) iter_args(%3 = %0) : vector<64 x i32> {
        %4 = for %5 in range(0, n, 1) iter_args(%6 = %3) : vector<64 x i32> {
            %7 = addptr x, %6 : vector<64 x ptr<f32>>
            store %7, 1.0, none
            %8 = add %6, 64 : vector<64 x i32>
            yield %8
        }
        %9 = add %4, n : vector<64 x i32>
        yield %9
    }
    %10 = addptr x, %1 : vector<64 x ptr<f32>>
    store %10, 2.0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %15 = for %2 in range(0, n, 1) iter_args(%14 = 0) : i32 {
        %3 = add %0, %14 : vector<64 x i32>
        %12 = for %5 in range(0, n, 1) iter_args(%11 = 0) : i32 {
            %6 = add %3, %11 : vector<64 x i32>
            %7 = addptr x, %6 : vector<64 x ptr<f32>>
            store %7, 1.0, none
            %13 = add %11, 64 : i32
            yield %13
        }
        %16 = add %14, %12 : i32
        %17 = add %16, n : i32
        yield %17
    }
    %1 = add %0, %15 : vector<64 x i32>
    %10 = addptr x, %1 : vector<64 x ptr<f32>>
    store %10, 2.0, none
}
