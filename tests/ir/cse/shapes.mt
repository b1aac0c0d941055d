; run: --passes cse
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = reshape %0 : block<1x16 x i32>
    %2 = reshape %0 : block<16x1 x i32>
    %3 = reshape %0 : block<1x16 x i32>
    %4 = broadcast %1 : block<16x16 x i32>
    %5 = broadcast %1 : block<2x16 x i32>
    %6 = broadcast %3 : block<16x16 x i32>
    %7 = permute %4 {order=1x0} : block<16x16 x i32>
    %8 = permute %6 {order=1x0} : block<16x16 x i32>
    %9 = sum %4 {axis=0} : vector<16 x i32>
    %10 = sum %4 {axis=1} : vector<16 x i32>
    %11 = sum %6 {axis=1} : vector<16 x i32>
    %12 = add %7, %8 : block<16x16 x i32>
    %13 = addptr out, %12 : block<16x16 x ptr<f32>>
    store %13, %6, none
    %14 = join %9, %10 : block<16x2 x i32>
    %15 = join %9, %11 : block<16x2 x i32>
    %16 = half %14 {index=0} : vector<16 x i32>
    %17 = half %15 {index=1} : vector<16 x i32>
    %18 = half %15 {index=0} : vector<16 x i32>
    %19 = add %16, %17 : vector<16 x i32>
    %20 = add %19, %18 : vector<16 x i32>
    %21 = addptr out, %20 : vector<16 x ptr<f32>>
    store %21, 0.0, none
}
; ---
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = reshape %0 : block<1x16 x i32>
    %2 = reshape %0 : block<16x1 x i32>
    %4 = broadcast %1 : block<16x16 x i32>
    %5 = broadcast %1 : block<2x16 x i32>
    %7 = permute %4 {order=1x0} : block<16x16 x i32>
    %9 = sum %4 {axis=0} : vector<16 x i32>
    %10 = sum %4 {axis=1} : vector<16 x i32>
    %12 = add %7, %7 : block<16x16 x i32>
    %13 = addptr out, %12 : block<16x16 x ptr<f32>>
    store %13, %4, none
    %14 = join %9, %10 : block<16x2 x i32>
    %16 = half %14 {index=0} : vector<16 x i32>
    %17 = half %14 {index=1} : vector<16 x i32>
    %19 = add %16, %17 : vector<16 x i32>
    %20 = add %19, %16 : vector<16 x i32>
    %21 = addptr out, %20 : vector<16 x ptr<f32>>
    store %21, 0.0, none
}
