; run: --verify
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    %5 = cumsum %4 : block<4x8 x f32>  ; error: ssa-verifier: op #5 'cumsum': attribute axis is missing
}
