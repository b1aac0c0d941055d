; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = sum %1 : i32  ; error: ssa-verifier: op #2 'sum': sum requires an axis of block<4x8 x i32>
}
