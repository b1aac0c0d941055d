; run: --emit cpu_plan
kernel wide(x: ptr<f32>) {
    %0 = arange {start=0, end=4096} : vector<4096 x i32>
    %1 = addptr x, %0 : vector<4096 x ptr<f32>>
    store %1, 1.0, none
}
; ---
strips of 16 lanes, 0 bytes of scratch
lane 0 of %0
stage of 4096 lanes
    contiguous: %0
    %0 = arange {start=0, end=4096} : vector<4096 x i32>
    %1 = addptr x, %0 : vector<4096 x ptr<f32>>
    store %1, 1.0, none

