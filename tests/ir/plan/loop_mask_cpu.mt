; run: --emit cpu_plan
kernel count(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = bit_and %0, 1 : vector<128 x i32>
    %2 = cmp_eq %1, 0 : vector<128 x bool>
    %3 = splat 0.0 : vector<128 x f32>
    %4 = for %5 in range(0, n, 1) iter_args(%6 = %3) : vector<128 x f32> {
        %7 = add %5, %0 : vector<128 x i32>
        %8 = addptr x, %7 : vector<128 x ptr<f32>>
        %9 = load %8, %2, 0.0 : vector<128 x f32>
        %10 = add %6, %9 : vector<128 x f32>
        yield %10
    }
    %11 = addptr out, %0 : vector<128 x ptr<f32>>
    store %11, %4, none
}
; ---
strips of 16 lanes, 1024 bytes of scratch
slot 0: vector<128 x f32> in scratch
stage of 128 lanes
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = bit_and %0, 1 : vector<128 x i32>
    %2 = cmp_eq %1, 0 : vector<128 x bool>
    %3 = splat 0.0 : vector<128 x f32>
    to buffer: %2
    to slot 0: %3
%4 = for %5 in range(0, n, 1) iter_args(%6 = %3) : vector<128 x f32> {
    lane 0 of %0
    lane 0 of %7
    stage of 128 lanes
        contiguous: %7
        from buffer: %2
        from slot: %6
        %0 = arange {start=0, end=128} : vector<128 x i32>
        %7 = add %5, %0 : vector<128 x i32>
        %8 = addptr x, %7 : vector<128 x ptr<f32>>
        %9 = load %8, %2, 0.0 : vector<128 x f32>
        %10 = add %6, %9 : vector<128 x f32>
        to slot 0: %10
    yield %10
}
lane 0 of %0
stage of 128 lanes
    contiguous: %0
    from slot: %4
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %11 = addptr out, %0 : vector<128 x ptr<f32>>
    store %11, %4, none

