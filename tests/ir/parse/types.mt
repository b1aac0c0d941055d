; run: --emit ssa
kernel k(a: ptr<i8>, b: i16, c: i64, d: u8, e: ptr<u16>, f: u32, g: u64, h: f16, i: bf16, j: f64) {
    %0 = cast c : u8
    %1 = cast_rtz j : bf16
    %2 = bitcast h : i16
    %3 = bitcast %2 : bf16
    %4 = clz g : i32
    %5 = load e, none, none : u16
}
; ---
kernel k(a: ptr<i8>, b: i16, c: i64, d: u8, e: ptr<u16>, f: u32, g: u64, h: f16, i: bf16, j: f64) {
    %0 = cast c : u8
    %1 = cast_rtz j : bf16
    %2 = bitcast h : i16
    %3 = bitcast %2 : bf16
    %4 = clz g : i32
    %5 = load e, none, none : u16
}
