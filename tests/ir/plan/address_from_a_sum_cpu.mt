; run: --emit cpu_plan
kernel k(x: ptr<i32>, out: ptr<i32>) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = addptr x, %0 : vector<16 x ptr<i32>>
    %2 = load %1, none, none : vector<16 x i32>
    %3 = sum %2 : i32
    %4 = addptr out, %3 : ptr<i32>
    %5 = addptr %4, %0 : vector<16 x ptr<i32>>
    store %5, %2, none
}
; ---
strips of 16 lanes, 0 bytes of scratch
lane 0 of %0
stage of 16 lanes
    contiguous: %0
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = addptr x, %0 : vector<16 x ptr<i32>>
    %2 = load %1, none, none : vector<16 x i32>
    %3 = sum %2 : i32
stage of 16 lanes
    contiguous: %0
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = addptr x, %0 : vector<16 x ptr<i32>>
    %2 = load %1, none, none : vector<16 x i32>
    %5 = addptr %4, %0 : vector<16 x ptr<i32>>
    store %5, %2, none

