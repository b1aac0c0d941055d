; run: --emit ssa
; a comment
kernel k(x: ptr<f32>)
{ %9 = load x, none, none : f32 ; loads
  %4 = neg %9 : f32   store x, %4, none }
; ---
kernel k(x: ptr<f32>) {
    %9 = load x, none, none : f32
    %4 = neg %9 : f32
    store x, %4, none
}
