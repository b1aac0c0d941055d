; run: --verify
kernel k(x: f32) {
}
kernel j(x: f32) {  ; error: expected the end of the text after the kernel, got 'kernel'
}
