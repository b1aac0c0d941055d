; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, f, none loc("k.py":1:2)  ; error: expected ':', got ')'
}
