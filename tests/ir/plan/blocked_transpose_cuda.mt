; run: --emit plan
; A tile goes through shared memory; indices are computed again.
kernel tr(X: ptr<f32>, Y: ptr<f32>, M: i32, N: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 32 : i32
    %2 = arange {start=0, end=32} : vector<32 x i32>
    %3 = add %1, %2 : vector<32 x i32>
    %4 = reshape %3 : block<32x1 x i32>
    %5 = mul %4, N : block<32x1 x i32>
    %6 = broadcast %5 : block<32x32 x i32>
    %7 = addptr X, %6 : block<32x32 x ptr<f32>>
    %8 = program_id {axis=1} : i32
    %9 = mul %8, 32 : i32
    %11 = add %9, %2 : vector<32 x i32>
    %12 = reshape %11 : block<1x32 x i32>
    %13 = broadcast %12 : block<32x32 x i32>
    %14 = addptr %7, %13 : block<32x32 x ptr<f32>>
    %16 = cmp_lt %4, M : block<32x1 x bool>
    %17 = broadcast %16 : block<32x32 x bool>
    %19 = cmp_lt %12, N : block<1x32 x bool>
    %20 = broadcast %19 : block<32x32 x bool>
    %21 = bit_and %17, %20 : block<32x32 x bool>
    %22 = load %14, %21, 0.0 : block<32x32 x f32>
    %23 = permute %22 {order=1x0} : block<32x32 x f32>
    %24 = reshape %11 : block<32x1 x i32>
    %25 = mul %24, M : block<32x1 x i32>
    %26 = broadcast %25 : block<32x32 x i32>
    %27 = addptr Y, %26 : block<32x32 x ptr<f32>>
    %28 = reshape %3 : block<1x32 x i32>
    %29 = broadcast %28 : block<32x32 x i32>
    %30 = addptr %27, %29 : block<32x32 x ptr<f32>>
    %32 = cmp_lt %24, N : block<32x1 x bool>
    %33 = broadcast %32 : block<32x32 x bool>
    %35 = cmp_lt %28, M : block<1x32 x bool>
    %36 = broadcast %35 : block<32x32 x bool>
    %37 = bit_and %33, %36 : block<32x32 x bool>
    store %30, %23, %37
}
; ---
blocked layout: 128 threads
32 lanes: 1 x 1 a thread
1024 lanes: 2 x 4 a thread
4096 bytes of shared buffers
shared %22: at 0
%0 = program_id {axis=0} : i32
%1 = mul %0, 32 : i32
%8 = program_id {axis=1} : i32
%9 = mul %8, 32 : i32
stage of 1024 lanes
    %6 = broadcast %5 : block<32x32 x i32>  ; computed again
    %7 = addptr X, %6 : block<32x32 x ptr<f32>>
    %13 = broadcast %12 : block<32x32 x i32>  ; computed again
    %14 = addptr %7, %13 : block<32x32 x ptr<f32>>
    %17 = broadcast %16 : block<32x32 x bool>  ; computed again
    %20 = broadcast %19 : block<32x32 x bool>  ; computed again
    %21 = bit_and %17, %20 : block<32x32 x bool>
    %22 = load %14, %21, 0.0 : block<32x32 x f32>  ; vectors where a row allows
    to buffer: %22
barrier
stage of 1024 lanes
    %23 = permute %22 {order=1x0} : block<32x32 x f32>
    %26 = broadcast %25 : block<32x32 x i32>  ; computed again
    %27 = addptr Y, %26 : block<32x32 x ptr<f32>>
    %29 = broadcast %28 : block<32x32 x i32>  ; computed again
    %30 = addptr %27, %29 : block<32x32 x ptr<f32>>
    %33 = broadcast %32 : block<32x32 x bool>  ; computed again
    %36 = broadcast %35 : block<32x32 x bool>  ; computed again
    %37 = bit_and %33, %36 : block<32x32 x bool>
    store %30, %23, %37  ; vectors where a row allows

