; run: --emit cpu_plan
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<2x16 x i32>
    %2 = addptr x, %1 : block<2x16 x ptr<f32>>
    %3 = load %2, none, none : block<2x16 x f32>
    %4 = permute %3 {order=1x0} : block<16x2 x f32>
    %5 = for %6 in range(0, n, 1) iter_args(%7 = %3) : block<2x16 x f32> {
        %8 = reshape %4 : block<2x16 x f32>
        %9 = add %7, %8 : block<2x16 x f32>
        %10 = permute %9 {order=1x0} : block<16x2 x f32>
        %11 = reshape %10 : block<2x16 x f32>
        yield %11
    }
    %12 = addptr out, %1 : block<2x16 x ptr<f32>>
    store %12, %5, none
}
; ---
strips of 16 lanes, 384 bytes of scratch
slot 0: block<2x16 x f32> in registers
stage of 32 lanes in rows of 16
    at the start of each row: %0, %1
    contiguous: %1
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<2x16 x i32>
    %2 = addptr x, %1 : block<2x16 x ptr<f32>>
    %3 = load %2, none, none : block<2x16 x f32>
    to buffer: %3
stage of 32 lanes
    %4 = permute %3 {order=1x0} : block<16x2 x f32>
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<2x16 x i32>
    %2 = addptr x, %1 : block<2x16 x ptr<f32>>
    %3 = load %2, none, none : block<2x16 x f32>
    to buffer: %4
    to slot 0: %3
%5 = for %6 in range(0, n, 1) iter_args(%7 = %3) : block<2x16 x f32> {
    stage of 32 lanes
        from buffer: %4
        from slot: %7
        %8 = reshape %4 : block<2x16 x f32>
        %9 = add %7, %8 : block<2x16 x f32>
        to buffer: %9
    stage of 32 lanes
        %10 = permute %9 {order=1x0} : block<16x2 x f32>
        %11 = reshape %10 : block<2x16 x f32>
        to slot 0: %11
    yield %11
}
stage of 32 lanes
    from slot: %5
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<2x16 x i32>
    %12 = addptr out, %1 : block<2x16 x ptr<f32>>
    store %12, %5, none

