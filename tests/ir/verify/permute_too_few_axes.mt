; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = permute %1 {order=0} : block<8x4 x i32>  ; error: ssa-verifier: op #2 'permute': cannot permute block<4x8 x i32> by (0): expected each axis once
}
