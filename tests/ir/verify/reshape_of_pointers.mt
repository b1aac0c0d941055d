; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = addptr x, %0 : vector<32 x ptr<f32>>
    %3 = reshape %2 : block<4x8 x ptr<f32>>  ; error: ssa-verifier: op #3 'reshape': lanes of pointers are not moved, got vector<32 x ptr<f32>>
}
