; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1) : i32 {  ; error: expected '=', got ')'
        condition t
        yield %1
    }
}
