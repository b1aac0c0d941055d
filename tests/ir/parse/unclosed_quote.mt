; run: --verify
kernel "k(x: f32) {  ; error: a quoted name must end on its line
}
