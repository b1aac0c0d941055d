; run: --emit plan
kernel arms(x: ptr<f32>, out: ptr<f32>, up: bool, again: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = sub 63, %0 : vector<64 x i32>
    %2 = addptr x, %0 : vector<64 x ptr<f32>>
    %3 = load %2, none, none : vector<64 x f32>
    %4 = addptr out, %0 : vector<64 x ptr<f32>>
    %8, %9 = if up : vector<64 x f32>, i64 {
        store %4, %3, none
        %5 = add %3, 1.0 : vector<64 x f32>
        yield %5, 7_i64
    } else {
        %6 = addptr out, %1 : vector<64 x ptr<f32>>
        store %6, %3, none
        yield %3, -1_i64
    }
    if again {
        %10 = load %4, none, none : vector<64 x f32>
        %11 = add %10, %8 : vector<64 x f32>
        store %2, %11, none
    }
    %12 = cast %9 : f32
    store x, %12, none
}
; ---
lane layout: 64 threads, one lane each
%0 = arange {start=0, end=64} : vector<64 x i32>
%1 = sub 63, %0 : vector<64 x i32>
%2 = addptr x, %0 : vector<64 x ptr<f32>>
%3 = load %2, none, none : vector<64 x f32>
%4 = addptr out, %0 : vector<64 x ptr<f32>>
%8, %9 = if up : vector<64 x f32>, i64 {
    store %4, %3, none
    %5 = add %3, 1.0 : vector<64 x f32>
    yield %5, 7_i64
} else {
    %6 = addptr out, %1 : vector<64 x ptr<f32>>
    store %6, %3, none
    yield %3, -1_i64
}
if again {
    barrier
    %10 = load %4, none, none : vector<64 x f32>
    %11 = add %10, %8 : vector<64 x f32>
    store %2, %11, none
}
%12 = cast %9 : f32
barrier
store x, %12, none  ; thread 0 only

