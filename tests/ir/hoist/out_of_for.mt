; run: --passes hoist
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, n, 1) iter_args(%2 = f) : f32 {
        %3 = arange {start=0, end=8} : vector<8 x i32>
        %4 = mul %3, n : vector<8 x i32>
        %5 = add %4, %1 : vector<8 x i32>
        %6 = addptr x, %5 : vector<8 x ptr<f32>>
        %7 = load %6, none, none : vector<8 x f32>
        %8 = exp f : f32
        %9 = add %2, %8 : f32
        store %6, %9, none
        yield %9
    }
    store x, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %3 = arange {start=0, end=8} : vector<8 x i32>
    %4 = mul %3, n : vector<8 x i32>
    %8 = exp f : f32
    %0 = for %1 in range(0, n, 1) iter_args(%2 = f) : f32 {
        %5 = add %4, %1 : vector<8 x i32>
        %6 = addptr x, %5 : vector<8 x ptr<f32>>
        %7 = load %6, none, none : vector<8 x f32>
        %9 = add %2, %8 : f32
        store %6, %9, none
        yield %9
    }
    store x, %0, none
}
