; run: --verify
kernel k(x: f3) {  ; error: expected a type, got 'f3'
}
