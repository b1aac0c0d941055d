; run: --emit plan
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
blocked layout: 128 threads
4 lanes: 1 x 1 a thread
16 lanes: 1 x 1 a thread
64 lanes: 1 x 1 a thread
528 bytes of shared buffers
shared %3: at 0
shared %4: at 512
shared %7: at 256
shared %8: at 0
stage of 64 lanes
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = reshape %0 : block<4x16 x i32>
    %2 = addptr x, %1 : block<4x16 x ptr<f32>>
    %3 = load %2, none, none : block<4x16 x f32>
    to buffer: %3
barrier
in memory: %4 = max %3 {axis=1} : vector<4 x f32>
barrier
stage of 64 lanes
    from buffer: %3
    %6 = broadcast %5 : block<4x16 x f32>
    %7 = sub %3, %6 : block<4x16 x f32>
    to buffer: %7
barrier
in memory: %8 = sum %7 {axis=0} : vector<16 x f32>
barrier
stage of 16 lanes
    from buffer: %8
    %9 = arange {start=0, end=16} : vector<16 x i32>
    %10 = addptr out, %9 : vector<16 x ptr<f32>>
    store %10, %8, none

