; run: --emit plan
; The shared buffer is used again in each round.
kernel largest_sum(x: ptr<f32>, out: ptr<f32>, rows: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %9 = for %1 in range(0, rows, 1) iter_args(%2 = -inf) : f32 {
        %3 = mul %1, 64 : i32
        %4 = addptr x, %3 : ptr<f32>
        %5 = addptr %4, %0 : vector<64 x ptr<f32>>
        %6 = load %5, none, none : vector<64 x f32>
        %7 = sum %6 : f32
        %8 = maximum %2, %7 : f32
        yield %8
    }
    store out, %9, none
}
; ---
lane layout: 64 threads, one lane each
shared 0: 2 x f32
%0 = arange {start=0, end=64} : vector<64 x i32>
%9 = for %1 in range(0, rows, 1) iter_args(%2 = -inf) : f32 {
    %3 = mul %1, 64 : i32
    %4 = addptr x, %3 : ptr<f32>
    %5 = addptr %4, %0 : vector<64 x ptr<f32>>
    %6 = load %5, none, none : vector<64 x f32>
    barrier
    %7 = sum %6 : f32  ; shared 0
    %8 = maximum %2, %7 : f32
    yield %8
}
store out, %9, none  ; thread 0 only

