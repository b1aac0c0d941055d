; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = addptr x, 1 : ptr<ptr<f32>>  ; error: expected a type, got 'ptr'
}
