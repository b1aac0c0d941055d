; run: --emit plan
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
lane layout: 32 threads, one lane each
shared 0: 1 x i32
%0 = arange {start=0, end=32} : vector<32 x i32>
%1 = addptr x, %0 : vector<32 x ptr<bool>>
%2 = load %1, none, none : vector<32 x bool>
%3 = cast %2 : vector<32 x i32>
%4 = sum %3 : i32  ; shared 0
%5 = load total, none, none : i32
%6 = add %5, %4 : i32
barrier
store total, %6, none  ; thread 0 only

