; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %99999999999 = add f, f : f32  ; error: expected a smaller value number, got '99999999999'
}
