; run: --emit cpu_plan
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = reshape %0 : block<16x1 x i32>
    %2 = reshape %0 : block<1x16 x i32>
    %3 = mul %1, n : block<16x1 x i32>
    %4 = broadcast %3 : block<16x16 x i32>
    %5 = broadcast %2 : block<16x16 x i32>
    %6 = add %4, %5 : block<16x16 x i32>
    %7 = addptr x, %6 : block<16x16 x ptr<f32>>
    %8 = load %7, none, none : block<16x16 x f32>
    %9 = permute %8 {order=1x0} : block<16x16 x f32>
    %10 = addptr out, %6 : block<16x16 x ptr<f32>>
    store %10, %9, none
}
; ---
strips of 16 lanes, 1152 bytes of scratch
stage of 16 lanes
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = reshape %0 : block<16x1 x i32>
    %3 = mul %1, n : block<16x1 x i32>
    to buffer: %3, %0
stage of 256 lanes in rows of 16
    at the start of each row: %4, %5, %6
    contiguous: %6
    %4 = broadcast %3 : block<16x16 x i32>
    %5 = broadcast %2 : block<16x16 x i32>
    %6 = add %4, %5 : block<16x16 x i32>
    %7 = addptr x, %6 : block<16x16 x ptr<f32>>
    %8 = load %7, none, none : block<16x16 x f32>
    to buffer: %8
stage of 256 lanes in rows of 16
    at the start of each row: %4, %5, %6
    contiguous: %6
    %4 = broadcast %3 : block<16x16 x i32>
    %5 = broadcast %2 : block<16x16 x i32>
    %6 = add %4, %5 : block<16x16 x i32>
    %9 = permute %8 {order=1x0} : block<16x16 x f32>
    %10 = addptr out, %6 : block<16x16 x ptr<f32>>
    store %10, %9, none

