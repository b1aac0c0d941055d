; run: --emit plan
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
lane layout: 256 threads, one lane each
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

