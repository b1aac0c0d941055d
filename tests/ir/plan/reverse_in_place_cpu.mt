; run: --emit cpu_plan
kernel reverse(x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %2 = load %1, none, none : vector<64 x f32>
    %3 = sub 63, %0 : vector<64 x i32>
    %4 = addptr x, %3 : vector<64 x ptr<f32>>
    store %4, %2, none
}
; ---
strips of 16 lanes, 256 bytes of scratch
lane 0 of %0
stage of 64 lanes
    contiguous: %0
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %2 = load %1, none, none : vector<64 x f32>
    to buffer: %2
stage of 64 lanes
    from buffer: %2
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %3 = sub 63, %0 : vector<64 x i32>
    %4 = addptr x, %3 : vector<64 x ptr<f32>>
    store %4, %2, none

