; run: --emit plan
; Between two uses of one buffer stands the barrier of the other.
kernel normalise(x: ptr<f32>, rows: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    for %1 in range(0, rows, 1) {
        %2 = mul %1, 64 : i32
        %3 = addptr x, %2 : ptr<f32>
        %4 = addptr %3, %0 : vector<64 x ptr<f32>>
        %5 = load %4, none, none : vector<64 x f32>
        %6 = max %5 : f32
        %7 = sub %5, %6 : vector<64 x f32>
        %8 = exp %7 : vector<64 x f32>
        %9 = sum %8 : f32
        %10 = div %8, %9 : vector<64 x f32>
    }
}
; ---
lane layout: 64 threads, one lane each
shared 0: 2 x f32
shared 1: 2 x f32
%0 = arange {start=0, end=64} : vector<64 x i32>
for %1 in range(0, rows, 1) {
    %2 = mul %1, 64 : i32
    %3 = addptr x, %2 : ptr<f32>
    %4 = addptr %3, %0 : vector<64 x ptr<f32>>
    %5 = load %4, none, none : vector<64 x f32>
    %6 = max %5 : f32  ; shared 0
    %7 = sub %5, %6 : vector<64 x f32>
    %8 = exp %7 : vector<64 x f32>
    %9 = sum %8 : f32  ; shared 1
    %10 = div %8, %9 : vector<64 x f32>
}

