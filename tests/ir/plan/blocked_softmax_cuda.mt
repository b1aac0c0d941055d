; run: --emit plan
; The row stays in registers.
kernel softmax_kernel(x: ptr<f32>, out: ptr<f32>, columns: i32) num_warps=2 {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, columns : i32
    %2 = addptr x, %1 : ptr<f32>
    %3 = arange {start=0, end=1024} : vector<1024 x i32>
    %4 = addptr %2, %3 : vector<1024 x ptr<f32>>
    %5 = cmp_lt %3, columns : vector<1024 x bool>
    %6 = load %4, %5, -inf : vector<1024 x f32>
    %7 = max %6 : f32
    %8 = sub %6, %7 : vector<1024 x f32>
    %9 = exp %8 : vector<1024 x f32>
    %10 = sum %9 : f32
    %11 = div %9, %10 : vector<1024 x f32>
    %13 = addptr out, %1 : ptr<f32>
    %14 = addptr %13, %3 : vector<1024 x ptr<f32>>
    store %14, %11, %5
}
; ---
blocked layout: 64 threads
1024 lanes: 4 x 4 a thread
words 0: 2 x f32
words 1: 2 x f32
%0 = program_id {axis=0} : i32
%1 = mul %0, columns : i32
lane 0 of %3
stage of 1024 lanes, interior while %3 < columns
    contiguous: %3
    %3 = arange {start=0, end=1024} : vector<1024 x i32>
    %4 = addptr %2, %3 : vector<1024 x ptr<f32>>
    %5 = cmp_lt %3, columns : vector<1024 x bool>
    %6 = load %4, %5, -inf : vector<1024 x f32>  ; vectors
    %7 = max %6 : f32  ; words 0
    to buffer: %6
stage of 1024 lanes
    from buffer: %6
    %8 = sub %6, %7 : vector<1024 x f32>
    %9 = exp %8 : vector<1024 x f32>
    %10 = sum %9 : f32  ; words 1
    to buffer: %9
stage of 1024 lanes, interior while %3 < columns
    contiguous: %3
    from buffer: %9
    %3 = arange {start=0, end=1024} : vector<1024 x i32>
    %5 = cmp_lt %3, columns : vector<1024 x bool>
    %11 = div %9, %10 : vector<1024 x f32>
    %14 = addptr %13, %3 : vector<1024 x ptr<f32>>
    store %14, %11, %5  ; vectors

