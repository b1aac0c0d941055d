; run: --emit cpu_plan
kernel count(total: ptr<i32>, x: ptr<bool>) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = addptr x, %0 : vector<32 x ptr<bool>>
    %2 = load %1, none, none : vector<32 x bool>
    %3 = cast %2 : vector<32 x i32>
    %4 = sum %3 : i32
    %5 = load total, none, none : i32
    %6 = add %5, %4 : i32
    store total, %6, none
}
; ---
strips of 16 lanes, 0 bytes of scratch
%5 = load total, none, none : i32
lane 0 of %0
stage of 32 lanes
    contiguous: %0
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = addptr x, %0 : vector<32 x ptr<bool>>
    %2 = load %1, none, none : vector<32 x bool>
    %3 = cast %2 : vector<32 x i32>
    %4 = sum %3 : i32
%6 = add %5, %4 : i32
store total, %6, none

