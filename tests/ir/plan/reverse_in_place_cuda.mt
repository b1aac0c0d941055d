; run: --emit plan
kernel reverse(x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %2 = load %1, none, none : vector<64 x f32>
    %3 = sub 63, %0 : vector<64 x i32>
    %4 = addptr x, %3 : vector<64 x ptr<f32>>
    store %4, %2, none
}
; ---
lane layout: 64 threads, one lane each
%0 = arange {start=0, end=64} : vector<64 x i32>
%1 = addptr x, %0 : vector<64 x ptr<f32>>
%2 = load %1, none, none : vector<64 x f32>
%3 = sub 63, %0 : vector<64 x i32>
%4 = addptr x, %3 : vector<64 x ptr<f32>>
barrier
store %4, %2, none

