; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = arange {start=0, end=8} : vector<8 x i32>
    %2 = add %0, %1 : vector<4 x i32>  ; error: ssa-verifier: op #2 'add': incompatible shapes: vector<4 x i32>, vector<8 x i32>
}
