; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = select 1, 2.0, 3.0 : f32  ; error: ssa-verifier: op #0 'select': condition must be bool, got i32
}
