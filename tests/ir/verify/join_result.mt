; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = join %0, %0 : block<2x32 x i32>  ; error: ssa-verifier: op #2 'join': result must be block<32x2 x i32>, got block<2x32 x i32>
}
