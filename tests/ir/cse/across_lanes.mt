; run: --passes cse
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    %5 = cumsum %4 {axis=1} : block<4x8 x f32>
    %6 = cumsum %4 {axis=1, reverse=1} : block<4x8 x f32>
    %7 = cumsum %4 {axis=1} : block<4x8 x f32>
    %8 = sort %7 : block<4x8 x f32>
    %9 = sort %5 : block<4x8 x f32>
    %10 = sort %5 {descending=1} : block<4x8 x f32>
    %11 = add %8, %9 : block<4x8 x f32>
    %12 = add %10, %6 : block<4x8 x f32>
    %13 = add %11, %12 : block<4x8 x f32>
    store %3, %13, none
}
; ---
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    %5 = cumsum %4 {axis=1} : block<4x8 x f32>
    %6 = cumsum %4 {axis=1, reverse=1} : block<4x8 x f32>
    %8 = sort %5 : block<4x8 x f32>
    %10 = sort %5 {descending=1} : block<4x8 x f32>
    %11 = add %8, %8 : block<4x8 x f32>
    %12 = add %10, %6 : block<4x8 x f32>
    %13 = add %11, %12 : block<4x8 x f32>
    store %3, %13, none
}
