; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    while {
        condition t
        if t {
            condition t  ; error: ssa-verifier: op #3 'condition': expected in the region of a while only
        }
    }
}
