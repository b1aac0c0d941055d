; run: --emit plan
; A load must wait for the round before, and the store for all loads.
kernel shift(x: ptr<f32>, times: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = add %0, 1 : vector<64 x i32>
    %2 = addptr x, %1 : vector<64 x ptr<f32>>
    %3 = addptr x, %0 : vector<64 x ptr<f32>>
    for %4 in range(0, times, 1) {
        %5 = load %2, none, none : vector<64 x f32>
        store %3, %5, none
    }
}
; ---
lane layout: 64 threads, one lane each
%0 = arange {start=0, end=64} : vector<64 x i32>
%1 = add %0, 1 : vector<64 x i32>
%2 = addptr x, %1 : vector<64 x ptr<f32>>
%3 = addptr x, %0 : vector<64 x ptr<f32>>
for %4 in range(0, times, 1) {
    barrier
    %5 = load %2, none, none : vector<64 x f32>
    barrier
    store %3, %5, none
}

