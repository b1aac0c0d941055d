; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = reshape %0 : block<16x2 x i32>
    %3 = half %2 {index=2} : vector<16 x i32>  ; error: ssa-verifier: op #3 'half': index must be 0 or 1
}
