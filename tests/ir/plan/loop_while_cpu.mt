; run: --emit cpu_plan
kernel halve(x: ptr<f32>, out: ptr<f32>, n: i64) {
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    %2 = load %1, none, none : vector<128 x f32>
    %3, %4 = while iter_args(%5 = %2, %6 = 0) : vector<128 x f32>, i32 {
        %7 = max %5 : f32
        %8 = cmp_gt %7, 1.0 : bool
        condition %8
        %9 = mul %5, 0.5 : vector<128 x f32>
        %10 = for %11 in range(0_i64, n, 3_i64) iter_args(%12 = %6) : i32 {
            %13 = add %12, 1 : i32
            yield %13
        }
        yield %9, %10
    }
    %14 = addptr out, %0 : vector<128 x ptr<f32>>
    store %14, %3, none
    store out, 1.0, none
}
; ---
strips of 16 lanes, 512 bytes of scratch
slot 0: vector<128 x f32> in scratch
lane 0 of %0
stage of 128 lanes
    contiguous: %0
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    %2 = load %1, none, none : vector<128 x f32>
    to slot 0: %2
%3, %4 = while iter_args(%5 = %2, %6 = 0) : vector<128 x f32>, i32 {
    stage of 128 lanes
        from slot: %5
        %7 = max %5 : f32
    %8 = cmp_gt %7, 1.0 : bool
    condition %8
    %10 = for %11 in range(0_i64, n, 3_i64) iter_args(%12 = %6) : i32 {
        %13 = add %12, 1 : i32
        yield %13
    }
    stage of 128 lanes
        from slot: %5
        %9 = mul %5, 0.5 : vector<128 x f32>
        to slot 0: %9
    yield %9, %10
}
stage of 128 lanes
    contiguous: %0
    from slot: %3
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %14 = addptr out, %0 : vector<128 x ptr<f32>>
    store %14, %3, none
store out, 1.0, none

