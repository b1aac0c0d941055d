; run: --emit plan
; A volatile load that all threads must agree on is done by one of them.
kernel wait_for(flag: ptr<i32>, x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    while {
        %2 = load flag, none, none {volatile=1} : i32
        %3 = cmp_eq %2, 0 : bool
        condition %3
    }
    %4 = load flag, none, none {cache=cv} : i32
    store %1, %4, none
}
; ---
lane layout: 64 threads, one lane each
once 0: i32
once 1: i32
%0 = arange {start=0, end=64} : vector<64 x i32>
%1 = addptr x, %0 : vector<64 x ptr<f32>>
while {
    barrier
    %2 = load flag, none, none {volatile=1} : i32  ; thread 0 only, then in once 0
    %3 = cmp_eq %2, 0 : bool
    condition %3
}
%4 = load flag, none, none {cache=cv} : i32  ; thread 0 only, then in once 1
%5 = cast %4 : f32
store %1, %5, none

