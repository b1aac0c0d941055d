; run: --emit plan
; Buffers that are not needed at once share their place.
kernel row_sums(x: ptr<f32>, out: ptr<f32>, rows: i32, columns: i32) {
    %0 = splat 0.0 : vector<8 x f32>
    %1 = arange {start=0, end=8} : vector<8 x i32>
    %4 = reshape %1 : block<8x1 x i32>
    %5 = mul %4, columns : block<8x1 x i32>
    %6 = broadcast %5 : block<8x64 x i32>
    %7 = addptr x, %6 : block<8x64 x ptr<f32>>
    %8 = arange {start=0, end=64} : vector<64 x i32>
    %14 = cmp_lt %4, rows : block<8x1 x bool>
    %15 = broadcast %14 : block<8x64 x bool>
    %23 = for %2 in range(0, columns, 64) iter_args(%3 = %0) : vector<8 x f32> {
        %9 = add %2, %8 : vector<64 x i32>
        %10 = reshape %9 : block<1x64 x i32>
        %11 = broadcast %10 : block<8x64 x i32>
        %12 = addptr %7, %11 : block<8x64 x ptr<f32>>
        %17 = cmp_lt %10, columns : block<1x64 x bool>
        %18 = broadcast %17 : block<8x64 x bool>
        %19 = bit_and %15, %18 : block<8x64 x bool>
        %20 = load %12, %19, 0.0 : block<8x64 x f32>
        %21 = sum %20 {axis=1} : vector<8 x f32>
        %22 = add %3, %21 : vector<8 x f32>
        yield %22
    }
    %24 = addptr out, %1 : vector<8 x ptr<f32>>
    %25 = cmp_lt %1, rows : vector<8 x bool>
    store %24, %23, %25
}
; ---
blocked layout: 128 threads
8 lanes: 1 x 1 a thread
64 lanes: 1 x 1 a thread
512 lanes: 1 x 4 a thread
2080 bytes of shared buffers
shared %20: at 0
shared %21: at 2048
slot 0: vector<8 x f32> in registers
stage of 512 lanes
    %15 = broadcast %14 : block<8x64 x bool>  ; computed again
    to buffer: %15
stage of 8 lanes
    %0 = splat 0.0 : vector<8 x f32>
    to slot 0: %0
%23 = for %2 in range(0, columns, 64) iter_args(%3 = %0) : vector<8 x f32> {
    stage of 512 lanes
        from buffer: %15
        %6 = broadcast %5 : block<8x64 x i32>  ; computed again
        %7 = addptr x, %6 : block<8x64 x ptr<f32>>
        %11 = broadcast %10 : block<8x64 x i32>  ; computed again
        %12 = addptr %7, %11 : block<8x64 x ptr<f32>>
        %18 = broadcast %17 : block<8x64 x bool>  ; computed again
        %19 = bit_and %15, %18 : block<8x64 x bool>
        %20 = load %12, %19, 0.0 : block<8x64 x f32>  ; vectors where a row allows
        to buffer: %20
    barrier
    in memory: %21 = sum %20 {axis=1} : vector<8 x f32>
    barrier
    stage of 8 lanes
        from buffer: %21
        from slot: %3
        %22 = add %3, %21 : vector<8 x f32>
        to slot 0: %22
    yield %22
}
stage of 8 lanes
    from slot: %23
    %1 = arange {start=0, end=8} : vector<8 x i32>
    %24 = addptr out, %1 : vector<8 x ptr<f32>>
    %25 = cmp_lt %1, rows : vector<8 x bool>
    store %24, %23, %25

