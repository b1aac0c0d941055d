; run: --emit plan
; The block is carried; nothing in the loop needs a barrier.
kernel row_sum(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = splat 0.0 : vector<64 x f32>
    %9 = for %2 in range(0, columns, 64) iter_args(%3 = %1) : vector<64 x f32> {
        %4 = addptr x, %2 : ptr<f32>
        %5 = addptr %4, %0 : vector<64 x ptr<f32>>
        %6 = sub columns, %2 : i32
        %7 = cmp_lt %0, %6 : vector<64 x bool>
        %8 = load %5, %7, 0.0 : vector<64 x f32>
        %10 = add %3, %8 : vector<64 x f32>
        yield %10
    }
    %11 = sum %9 : f32
    store out, %11, none
}
; ---
lane layout: 64 threads, one lane each
shared 0: 2 x f32
%0 = arange {start=0, end=64} : vector<64 x i32>
%1 = splat 0.0 : vector<64 x f32>
%9 = for %2 in range(0, columns, 64) iter_args(%3 = %1) : vector<64 x f32> {
    %4 = addptr x, %2 : ptr<f32>
    %5 = addptr %4, %0 : vector<64 x ptr<f32>>
    %6 = sub columns, %2 : i32
    %7 = cmp_lt %0, %6 : vector<64 x bool>
    %8 = load %5, %7, 0.0 : vector<64 x f32>
    %10 = add %3, %8 : vector<64 x f32>
    yield %10
}
%11 = sum %9 : f32  ; shared 0
store out, %11, none  ; thread 0 only

