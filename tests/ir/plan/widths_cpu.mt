; run: --emit cpu_plan
kernel widths(x: ptr<f32>) {
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    store %1, 1.0, none
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = addptr x, %2 : vector<256 x ptr<f32>>
    store %3, 2.0, none
}
; ---
strips of 16 lanes, 0 bytes of scratch
lane 0 of %0
stage of 128 lanes
    contiguous: %0
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    store %1, 1.0, none
lane 0 of %2
stage of 256 lanes
    contiguous: %2
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = addptr x, %2 : vector<256 x ptr<f32>>
    store %3, 2.0, none

