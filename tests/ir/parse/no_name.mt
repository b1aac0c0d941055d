; run: --verify
kernel (x: f32) {  ; error: expected a kernel name, got '('
}
