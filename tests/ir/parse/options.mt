; run: --emit ssa
kernel k(x: ptr<f32>) accuracy=fast layout=lane
    num_warps=8 {
    store x, 1.0, none
}
; ---
kernel k(x: ptr<f32>) num_warps=8 layout=lane accuracy=fast {
    store x, 1.0, none
}
