; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add f, 1.0 : f32, f32  ; error: expected a type for each of the 1 results, got 'add'
}
