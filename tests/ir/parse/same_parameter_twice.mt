; run: --verify
kernel k(x: f32, x: i32) {  ; error: every parameter needs its own name, got 'x'
}
