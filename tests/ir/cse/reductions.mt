; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = sum %0 : i32
    %2 = sum %0 : i32
    %3 = max %0 : i32
    %4 = add %2, %3 : i32
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = arange {start=0, end=4} : vector<4 x i32>
    %1 = sum %0 : i32
    %3 = max %0 : i32
    %4 = add %1, %3 : i32
    store i, %4, none
}
