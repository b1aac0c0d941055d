; run: --passes narrow,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=0} : i32
    %1 = arange {start=0, end=64} : vector<64 x i32>
    %2 = add %1, %0 : vector<64 x i32>
    %3 = for %4 in range(0, n, 64) iter_args(%5 = %2) : vector<64 x i32> {
        %6 = addptr x, %5 : vector<64 x ptr<f32>>
        store %6, 1.0, none
        %7 = add %5, 64 : vector<64 x i32>
        yield %7
    }
    %8 = addptr x, %3 : vector<64 x ptr<f32>>
    store %8, 2.0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=0} : i32
    %1 = arange {start=0, end=64} : vector<64 x i32>
    %2 = add %1, %0 : vector<64 x i32>
    %10 = for %4 in range(0, n, 64) iter_args(%9 = 0) : i32 {
        %5 = add %2, %9 : vector<64 x i32>
        %6 = addptr x, %5 : vector<64 x ptr<f32>>
        store %6, 1.0, none
        %11 = add %9, 64 : i32
        yield %11
    }
    %3 = add %2, %10 : vector<64 x i32>
    %8 = addptr x, %3 : vector<64 x ptr<f32>>
    store %8, 2.0, none
}
