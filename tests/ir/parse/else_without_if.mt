; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, 1, none
    else {  ; error: expected an op, got 'else'
    }
}
