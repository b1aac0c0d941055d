; run: --emit plan
; Lanes meet lanes of other threads.
kernel reverse(x: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=512} : vector<512 x i32>
    %1 = addptr x, %0 : vector<512 x ptr<f32>>
    %2 = load %1, none, none : vector<512 x f32>
    %3 = addptr x, 511 : ptr<f32>
    %4 = neg %0 : vector<512 x i32>
    %5 = addptr %3, %4 : vector<512 x ptr<f32>>
    store %5, %2, none
}
; ---
blocked layout: 128 threads
512 lanes: 1 x 4 a thread
lane 0 of %0
stage of 512 lanes
    contiguous: %0
    %0 = arange {start=0, end=512} : vector<512 x i32>
    %1 = addptr x, %0 : vector<512 x ptr<f32>>
    %2 = load %1, none, none : vector<512 x f32>  ; vectors
    to buffer: %2
barrier
stage of 512 lanes
    from buffer: %2
    %0 = arange {start=0, end=512} : vector<512 x i32>
    %4 = neg %0 : vector<512 x i32>
    %5 = addptr %3, %4 : vector<512 x ptr<f32>>
    store %5, %2, none

