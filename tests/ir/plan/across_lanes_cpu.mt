; run: --emit cpu_plan
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
strips of 16 lanes, 1280 bytes of scratch
stage of 32 lanes
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    to buffer: %4
in memory: %5 = cumsum %4 {axis=1} : block<4x8 x f32>
in memory: %6 = cumprod %5 {axis=0, reverse=1} : block<4x8 x f32>
in memory: %7 = sort %6 : block<4x8 x f32>
in memory: %8 = sort %7 {descending=1} : block<4x8 x f32>
stage of 32 lanes
    %0 = arange {start=0, end=32} : vector<32 x i32>
    to buffer: %0
in memory: %9 = gather %8, %1 {axis=1} : block<4x8 x f32>
stage of 32 lanes
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    to buffer: %2
in memory: %10 = histogram %1, %2 {bins=5} : vector<5 x i32>
in memory: %11 = histogram %1, none {bins=5} : vector<5 x i32>
lane 0 of %13
stage of 5 lanes
    contiguous: %13
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

