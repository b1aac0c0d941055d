; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cat %1, %0 : vector<64 x i32>  ; error: ssa-verifier: op #2 'cat': expected two blocks of rank 1 and one type, got block<4x8 x i32> and vector<32 x i32>
}
