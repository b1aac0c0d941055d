; run: --emit ssa
kernel "<lambda>"("none": ptr<f32>, "true": f32, "inf": f32, max: f32, größe: i32, "two words": bool) {
    store "none", max, "two words"
    %7 = add "true", "inf" : f32
    %3 = mul größe, 2 : i32
    store "none", %7, none
    store "none", %3, none
}
; ---
kernel "<lambda>"("none": ptr<f32>, "true": f32, "inf": f32, max: f32, größe: i32, "two words": bool) {
    store "none", max, "two words"
    %7 = add "true", "inf" : f32
    %3 = mul größe, 2 : i32
    store "none", %7, none
    store "none", %3, none
}
