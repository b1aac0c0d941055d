; run: --verify
kernel k(x: f32) {
    %0 = add x, 1.0 : f32  ; error: expected an instruction, got the end of the text
