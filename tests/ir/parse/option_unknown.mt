; run: --verify
kernel k(x: ptr<f32>) num_stages=2 {  ; error: expected num_warps, layout, accuracy or '{', got 'num_stages'
}
