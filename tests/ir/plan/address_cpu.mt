; run: --emit cpu_plan
kernel address(x: ptr<f32>, out: ptr<f32>, n: i32, v1: i32) {
    %0 = addptr out, 1 : ptr<f32>
    %1 = addptr %0, 2 : ptr<f32>
    store %1, 1.5, none
    %2 = arange {start=4, end=8} : vector<4 x i32>
    %3 = addptr x, n : ptr<f32>
    %4 = addptr %3, %2 : vector<4 x ptr<f32>>
    %5 = load %4, none, none : vector<4 x f32>
    %6 = addptr out, v1 : ptr<f32>
    %7 = addptr %6, %2 : vector<4 x ptr<f32>>
    store %7, %5, none
}
; ---
strips of 16 lanes, 0 bytes of scratch
store %1, 1.5, none
lane 0 of %2
stage of 4 lanes
    contiguous: %2
    %2 = arange {start=4, end=8} : vector<4 x i32>
    %4 = addptr %3, %2 : vector<4 x ptr<f32>>
    %5 = load %4, none, none : vector<4 x f32>
    %7 = addptr %6, %2 : vector<4 x ptr<f32>>
    store %7, %5, none

