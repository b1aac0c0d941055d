; run: --emit cpu_plan
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=5} : vector<5 x i32>
    %1 = addptr x, %0 : vector<5 x ptr<f32>>
    %2 = load %1, none, none : vector<5 x f32>
    %3 = join %2, %2 : block<5x2 x f32>
    %4 = half %3 {index=1} : vector<5 x f32>
    %5 = cat %4, %2 : vector<10 x f32>
    %6 = arange {start=0, end=10} : vector<10 x i32>
    %7 = addptr out, %6 : vector<10 x ptr<f32>>
    store %7, %5, none
}
; ---
strips of 16 lanes, 192 bytes of scratch
lane 0 of %0
stage of 5 lanes
    contiguous: %0
    %0 = arange {start=0, end=5} : vector<5 x i32>
    %1 = addptr x, %0 : vector<5 x ptr<f32>>
    %2 = load %1, none, none : vector<5 x f32>
    to buffer: %2
stage of 10 lanes
    %3 = join %2, %2 : block<5x2 x f32>
    to buffer: %3
stage of 5 lanes
    %4 = half %3 {index=1} : vector<5 x f32>
    to buffer: %4
lane 0 of %6
stage of 10 lanes
    contiguous: %6
    %5 = cat %4, %2 : vector<10 x f32>
    %6 = arange {start=0, end=10} : vector<10 x i32>
    %7 = addptr out, %6 : vector<10 x ptr<f32>>
    store %7, %5, none

