; run: --emit plan
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
lane layout: 100 threads, one lane each
shared 0: 4 x f32
shared 1: 4 x f32
%0 = arange {start=0, end=100} : vector<100 x i32>
%1 = cmp_lt %0, columns : vector<100 x bool>
%2 = addptr x, %0 : vector<100 x ptr<f32>>
%3 = load %2, %1, -inf : vector<100 x f32>
%4 = max %3 : f32  ; shared 0
%5 = sub %3, %4 : vector<100 x f32>
%6 = exp %5 : vector<100 x f32>
%7 = sum %6 : f32  ; shared 1
%8 = div %6, %7 : vector<100 x f32>
%9 = addptr out, %0 : vector<100 x ptr<f32>>
store %9, %8, %1

