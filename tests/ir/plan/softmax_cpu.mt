; run: --emit cpu_plan
kernel softmax(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = cmp_lt %0, columns : vector<100 x bool>
    %2 = addptr x, %0 : vector<100 x ptr<f32>>
    %3 = load %2, %1, -inf : vector<100 x f32>
    %4 = max %3 : f32
    %5 = sub %3, %4 : vector<100 x f32>
    %6 = exp %5 : vector<100 x f32>
    %7 = sum %6 : f32
    %8 = div %6, %7 : vector<100 x f32>
    %9 = addptr out, %0 : vector<100 x ptr<f32>>
    store %9, %8, %1
}
; ---
strips of 16 lanes, 448 bytes of scratch
lane 0 of %0
stage of 100 lanes, interior while %0 < columns
    contiguous: %0
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = cmp_lt %0, columns : vector<100 x bool>
    %2 = addptr x, %0 : vector<100 x ptr<f32>>
    %3 = load %2, %1, -inf : vector<100 x f32>
    %4 = max %3 : f32
stage of 100 lanes, interior while %0 < columns
    contiguous: %0
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = cmp_lt %0, columns : vector<100 x bool>
    %2 = addptr x, %0 : vector<100 x ptr<f32>>
    %3 = load %2, %1, -inf : vector<100 x f32>
    %5 = sub %3, %4 : vector<100 x f32>
    %6 = exp %5 : vector<100 x f32>
    %7 = sum %6 : f32
    to buffer: %6
stage of 100 lanes, interior while %0 < columns, then stop
    contiguous: %0
    from buffer: %6
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = cmp_lt %0, columns : vector<100 x bool>
    %8 = div %6, %7 : vector<100 x f32>
    %9 = addptr out, %0 : vector<100 x ptr<f32>>
    store %9, %8, %1

