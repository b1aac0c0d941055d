; run: --emit cpu_plan
kernel row_sum(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = splat 0.0 : vector<64 x f32>
    %2 = for %3 in range(0, n, 64) iter_args(%4 = %1) : vector<64 x f32> {
        %5 = add %3, %0 : vector<64 x i32>
        %6 = cmp_lt %5, n : vector<64 x bool>
        %7 = addptr x, %5 : vector<64 x ptr<f32>>
        %8 = load %7, %6, 0.0 : vector<64 x f32>
        %9 = add %4, %8 : vector<64 x f32>
        yield %9
    }
    %10 = sum %2 : f32
    %11 = cmp_gt %10, 0.0 : bool
    if %11 {
        store out, %10, none
    } else {
        %12 = neg %10 : f32
        store out, %12, none
    }
}
; ---
strips of 16 lanes, 0 bytes of scratch
slot 0: vector<64 x f32> in registers
stage of 64 lanes
    %1 = splat 0.0 : vector<64 x f32>
    to slot 0: %1
%2 = for %3 in range(0, n, 64) iter_args(%4 = %1) : vector<64 x f32> {
    lane 0 of %0
    lane 0 of %5
    stage of 64 lanes, interior while %5 < n
        contiguous: %5
        from slot: %4
        %0 = arange {start=0, end=64} : vector<64 x i32>
        %5 = add %3, %0 : vector<64 x i32>
        %6 = cmp_lt %5, n : vector<64 x bool>
        %7 = addptr x, %5 : vector<64 x ptr<f32>>
        %8 = load %7, %6, 0.0 : vector<64 x f32>
        %9 = add %4, %8 : vector<64 x f32>
        to slot 0: %9
    yield %9
}
stage of 64 lanes
    from slot: %2
    %10 = sum %2 : f32
%11 = cmp_gt %10, 0.0 : bool
if %11 {
    store out, %10, none
} else {
    %12 = neg %10 : f32
    store out, %12, none
}

