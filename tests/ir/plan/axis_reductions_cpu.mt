; run: --emit cpu_plan
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = reshape %0 : block<4x16 x i32>
    %2 = addptr x, %1 : block<4x16 x ptr<f32>>
    %3 = load %2, none, none : block<4x16 x f32>
    %4 = max %3 {axis=1} : vector<4 x f32>
    %5 = reshape %4 : block<4x1 x f32>
    %6 = broadcast %5 : block<4x16 x f32>
    %7 = sub %3, %6 : block<4x16 x f32>
    %8 = sum %7 {axis=0} : vector<16 x f32>
    %9 = arange {start=0, end=16} : vector<16 x i32>
    %10 = addptr out, %9 : vector<16 x ptr<f32>>
    store %10, %8, none
}
; ---
strips of 16 lanes, 640 bytes of scratch
stage of 64 lanes in rows of 16
    at the start of each row: %0, %1
    contiguous: %1
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = reshape %0 : block<4x16 x i32>
    %2 = addptr x, %1 : block<4x16 x ptr<f32>>
    %3 = load %2, none, none : block<4x16 x f32>
    to buffer: %3
in memory: %4 = max %3 {axis=1} : vector<4 x f32>
stage of 64 lanes in rows of 16
    at the start of each row: %0, %1
    contiguous: %1
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = reshape %0 : block<4x16 x i32>
    %2 = addptr x, %1 : block<4x16 x ptr<f32>>
    %3 = load %2, none, none : block<4x16 x f32>
    %6 = broadcast %5 : block<4x16 x f32>
    %7 = sub %3, %6 : block<4x16 x f32>
    to buffer: %7
in memory: %8 = sum %7 {axis=0} : vector<16 x f32>
lane 0 of %9
stage of 16 lanes
    contiguous: %9
    from buffer: %8
    %9 = arange {start=0, end=16} : vector<16 x i32>
    %10 = addptr out, %9 : vector<16 x ptr<f32>>
    store %10, %8, none

