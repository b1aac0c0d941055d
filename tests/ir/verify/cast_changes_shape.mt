; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cast n : vector<4 x f32>  ; error: ssa-verifier: op #0 'cast': cannot cast i32 to vector<4 x f32>
}
