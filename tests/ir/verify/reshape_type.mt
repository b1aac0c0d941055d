; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = reshape %0 : block<4x8 x f32>  ; error: ssa-verifier: op #2 'reshape': result must be block<4x8 x i32>, got block<4x8 x f32>
}
