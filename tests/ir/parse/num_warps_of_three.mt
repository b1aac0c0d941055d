; run: --verify
kernel k(x: ptr<f32>) num_warps=3 {  ; error: expected a power of two, 1 to 32, got '3'
}
