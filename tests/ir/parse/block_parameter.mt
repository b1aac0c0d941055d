; run: --verify
kernel k(x: vector<4 x f32>) {  ; error: a parameter is a scalar or a pointer, got 'vector'
}
