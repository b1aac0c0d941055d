; run: --verify
kernel k(x: f32) {
    %0 = add x, @ : f32  ; error: unexpected '@'
}
