; run: --emit plan
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    %5 = cumsum %4 {axis=1} : block<4x8 x f32>
    %6 = cumprod %5 {axis=0, reverse=1} : block<4x8 x f32>
    %7 = sort %6 : block<4x8 x f32>
    %8 = sort %7 {descending=1} : block<4x8 x f32>
    %9 = gather %8, %1 {axis=1} : block<4x8 x f32>
    %10 = histogram %1, %2 {bins=5} : vector<5 x i32>
    %11 = histogram %1, none {bins=5} : vector<5 x i32>
    %12 = add %10, %11 : vector<5 x i32>
    %13 = arange {start=0, end=5} : vector<5 x i32>
    %14 = addptr out, %13 : vector<5 x ptr<f32>>
    store %14, %12, none
    store %3, %9, none
}
; ---
blocked layout: 128 threads
5 lanes: 1 x 1 a thread
32 lanes: 1 x 1 a thread
384 bytes of shared buffers
shared %4: at 0
shared %5: at 128
shared %6: at 0
shared %7: at 128
shared %8: at 0
shared %0: at 128
shared %9: at 256
shared %2: at 0
shared %10: at 32
shared %11: at 0
stage of 32 lanes
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    to buffer: %4
barrier
in memory: %5 = cumsum %4 {axis=1} : block<4x8 x f32>
barrier
in memory: %6 = cumprod %5 {axis=0, reverse=1} : block<4x8 x f32>
barrier
in memory: %7 = sort %6 : block<4x8 x f32>
barrier
in memory: %8 = sort %7 {descending=1} : block<4x8 x f32>
barrier
stage of 32 lanes
    %0 = arange {start=0, end=32} : vector<32 x i32>
    to buffer: %0
barrier
in memory: %9 = gather %8, %1 {axis=1} : block<4x8 x f32>
barrier
stage of 32 lanes
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    to buffer: %2
barrier
in memory: %10 = histogram %1, %2 {bins=5} : vector<5 x i32>
barrier
in memory: %11 = histogram %1, none {bins=5} : vector<5 x i32>
barrier
stage of 5 lanes
    from buffer: %11, %10
    %12 = add %10, %11 : vector<5 x i32>
    %13 = arange {start=0, end=5} : vector<5 x i32>
    %14 = addptr out, %13 : vector<5 x ptr<f32>>
    %15 = cast %12 : vector<5 x f32>
    store %14, %15, none
stage of 32 lanes
    from buffer: %9
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    store %3, %9, none

