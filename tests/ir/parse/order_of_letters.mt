; run: --emit ssa
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = permute %1 {order=1xa} : block<4x8 x i32>  ; error: expected an order of axes, such as 1x0, got '1xa'
}
