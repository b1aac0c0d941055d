; run: --verify
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if t : ptr<f32> {  ; error: ssa-verifier: op #0 'if': regions give numbers, not ptr<f32>
        yield x
    } else {
        %1 = addptr x, 1 : ptr<f32>
        yield %1
    }
}
