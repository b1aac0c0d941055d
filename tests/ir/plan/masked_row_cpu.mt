; run: --emit cpu_plan
kernel sum_of_row(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=1024} : vector<1024 x i32>
    %1 = cmp_lt %0, columns : vector<1024 x bool>
    %2 = addptr x, %0 : vector<1024 x ptr<f32>>
    %3 = load %2, %1, 0.0 : vector<1024 x f32>
    %4 = sum %3 : f32
    store out, %4, none
}
; ---
strips of 16 lanes, 0 bytes of scratch
lane 0 of %0
stage of 1024 lanes, interior while %0 < columns, then until nothing changes
    contiguous: %0
    %0 = arange {start=0, end=1024} : vector<1024 x i32>
    %1 = cmp_lt %0, columns : vector<1024 x bool>
    %2 = addptr x, %0 : vector<1024 x ptr<f32>>
    %3 = load %2, %1, 0.0 : vector<1024 x f32>
    %4 = sum %3 : f32
store out, %4, none

