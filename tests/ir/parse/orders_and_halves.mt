; run: --emit ssa
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<2x8x2 x i32>
    %2 = permute %1 {order=2x0x1} : block<2x2x8 x i32>
    %3 = half %1 {index=1} : block<2x8 x i32>
    %4 = splat n : block<1x8 x i32>
    %5 = broadcast %4 : block<4x8 x i32>
    %6 = join %3, %3 : block<2x8x2 x i32>
    %7 = cat %0, %0 : vector<64 x i32>
    %8 = sum %1 {axis=1} : block<2x2 x i32>
}
; ---
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<2x8x2 x i32>
    %2 = permute %1 {order=2x0x1} : block<2x2x8 x i32>
    %3 = half %1 {index=1} : block<2x8 x i32>
    %4 = splat n : block<1x8 x i32>
    %5 = broadcast %4 : block<4x8 x i32>
    %6 = join %3, %3 : block<2x8x2 x i32>
    %7 = cat %0, %0 : vector<64 x i32>
    %8 = sum %1 {axis=1} : block<2x2 x i32>
}
