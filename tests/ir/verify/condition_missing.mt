; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    while {  ; error: ssa-verifier: op #0 'while': expected one condition in its region
        store i, 1, none
    }
}
