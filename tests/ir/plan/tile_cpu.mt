; run: --emit cpu_plan
kernel copy_tile(x: ptr<f32>, out: ptr<f32>, m: i32, n: i32, step: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 32 : i32
    %2 = arange {start=0, end=32} : vector<32 x i32>
    %3 = add %1, %2 : vector<32 x i32>
    %4 = reshape %3 : block<32x1 x i32>
    %5 = mul %4, step : block<32x1 x i32>
    %6 = broadcast %5 : block<32x32 x i32>
    %7 = reshape %2 : block<1x32 x i32>
    %8 = broadcast %7 : block<32x32 x i32>
    %9 = addptr x, %6 : block<32x32 x ptr<f32>>
    %10 = addptr %9, %8 : block<32x32 x ptr<f32>>
    %11 = cmp_lt %4, m : block<32x1 x bool>
    %12 = broadcast %11 : block<32x32 x bool>
    %13 = cmp_lt %7, n : block<1x32 x bool>
    %14 = broadcast %13 : block<32x32 x bool>
    %15 = bit_and %12, %14 : block<32x32 x bool>
    %16 = load %10, %15, none : block<32x32 x f32>
    %17 = addptr out, %6 : block<32x32 x ptr<f32>>
    %18 = addptr %17, %8 : block<32x32 x ptr<f32>>
    store %18, %16, %15
}
; ---
strips of 16 lanes, 512 bytes of scratch
%0 = program_id {axis=0} : i32
%1 = mul %0, 32 : i32
stage of 32 lanes
    %2 = arange {start=0, end=32} : vector<32 x i32>
    %3 = add %1, %2 : vector<32 x i32>
    %4 = reshape %3 : block<32x1 x i32>
    %5 = mul %4, step : block<32x1 x i32>
    %11 = cmp_lt %4, m : block<32x1 x bool>
    %7 = reshape %2 : block<1x32 x i32>
    %13 = cmp_lt %7, n : block<1x32 x bool>
    to buffer: %5, %2, %11, %13
lane 0 of %2
lane 0 of %7
stage of 1024 lanes in rows of 32, interior while %12 and %7 < n, then stop
    at the start of each row: %6, %8, %12
    contiguous: %8
    %6 = broadcast %5 : block<32x32 x i32>
    %8 = broadcast %7 : block<32x32 x i32>
    %9 = addptr x, %6 : block<32x32 x ptr<f32>>
    %10 = addptr %9, %8 : block<32x32 x ptr<f32>>
    %12 = broadcast %11 : block<32x32 x bool>
    %14 = broadcast %13 : block<32x32 x bool>
    %15 = bit_and %12, %14 : block<32x32 x bool>
    %16 = load %10, %15, none : block<32x32 x f32>
    %17 = addptr out, %6 : block<32x32 x ptr<f32>>
    %18 = addptr %17, %8 : block<32x32 x ptr<f32>>
    store %18, %16, %15

