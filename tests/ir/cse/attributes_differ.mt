; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=0} : i32
    %1 = program_id {axis=1} : i32
    %2 = program_id {axis=0} : i32
    store i, %1, none
    store i, %2, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = program_id {axis=0} : i32
    %1 = program_id {axis=1} : i32
    store i, %1, none
    store i, %0, none
}
