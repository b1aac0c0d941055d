; run: --emit plan
kernel triangle(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = splat 0.0 : vector<32 x f32>
    for %2 in range(0, n, 1) {
        %12 = for %3 in range(0, %2, 1) iter_args(%4 = %1) : vector<32 x f32> {
            %5 = cmp_gt %3, 3 : bool
            %11 = if %5 : vector<32 x f32> {
                %6 = mul %3, 32 : i32
                %7 = addptr x, %6 : ptr<f32>
                %8 = addptr %7, %0 : vector<32 x ptr<f32>>
                %9 = load %8, none, none : vector<32 x f32>
                %10 = add %4, %9 : vector<32 x f32>
                yield %10
            } else {
                yield %4
            }
            yield %11
        }
        %13 = sum %12 : f32
        %14 = addptr out, %2 : ptr<f32>
        store %14, %13, none
    }
}
; ---
lane layout: 32 threads, one lane each
shared 0: 1 x f32
%0 = arange {start=0, end=32} : vector<32 x i32>
%1 = splat 0.0 : vector<32 x f32>
for %2 in range(0, n, 1) {
    %12 = for %3 in range(0, %2, 1) iter_args(%4 = %1) : vector<32 x f32> {
        %5 = cmp_gt %3, 3 : bool
        %11 = if %5 : vector<32 x f32> {
            %6 = mul %3, 32 : i32
            %7 = addptr x, %6 : ptr<f32>
            %8 = addptr %7, %0 : vector<32 x ptr<f32>>
            %9 = load %8, none, none : vector<32 x f32>
            %10 = add %4, %9 : vector<32 x f32>
            yield %10
        } else {
            yield %4
        }
        yield %11
    }
    barrier
    %13 = sum %12 : f32  ; shared 0
    %14 = addptr out, %2 : ptr<f32>
    store %14, %13, none  ; thread 0 only
}

