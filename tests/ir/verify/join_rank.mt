; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = reshape %0 : block<1x1x1x1x32 x i32>
    %3 = join %2, %2 : block<32x2 x i32>  ; error: ssa-verifier: op #3 'join': a block has at most 5 axes, got (1, 1, 1, 1, 32, 2)
}
