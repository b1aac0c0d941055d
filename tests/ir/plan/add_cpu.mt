; run: --emit cpu_plan
kernel add_kernel(x: ptr<f32>, y: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 256 : i32
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = add %1, %2 : vector<256 x i32>
    %4 = addptr x, %3 : vector<256 x ptr<f32>>
    %5 = cmp_lt %3, n : vector<256 x bool>
    %6 = load %4, %5, 0.0 : vector<256 x f32>
    %7 = addptr y, %3 : vector<256 x ptr<f32>>
    %8 = load %7, %5, 0.0 : vector<256 x f32>
    %9 = add %6, %8 : vector<256 x f32>
    %10 = addptr out, %3 : vector<256 x ptr<f32>>
    store %10, %9, %5
}
; ---
strips of 16 lanes, 0 bytes of scratch
%0 = program_id {axis=0} : i32
%1 = mul %0, 256 : i32
lane 0 of %2
lane 0 of %3
stage of 256 lanes, interior while %3 < n, then stop
    contiguous: %3
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = add %1, %2 : vector<256 x i32>
    %4 = addptr x, %3 : vector<256 x ptr<f32>>
    %5 = cmp_lt %3, n : vector<256 x bool>
    %6 = load %4, %5, 0.0 : vector<256 x f32>
    %7 = addptr y, %3 : vector<256 x ptr<f32>>
    %8 = load %7, %5, 0.0 : vector<256 x f32>
    %9 = add %6, %8 : vector<256 x f32>
    %10 = addptr out, %3 : vector<256 x ptr<f32>>
    store %10, %9, %5

