; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if t : f32 {
        %1 = exp f : f32
        yield %1
    } else {
        yield f
    }
    %2 = if t : f32 {
        %3 = load x, none, none : f32
        yield %3
    } else {
        yield f
    }
    %4 = arange {start=0, end=8} : vector<8 x i32>
    %5 = if t : vector<8 x i32> {
        %6 = mul %4, %4 : vector<8 x i32>
        yield %6
    } else {
        yield %4
    }
    %7 = if t : i32 {
        %8 = sum %4 : i32
        yield %8
    } else {
        yield 0
    }
    %9 = if t : f32 {
        %10 = add f, 1.0 : f32
        %11 = mul %10, %10 : f32
        %12 = add %11, 1.0 : f32
        %13 = mul %12, %12 : f32
        %14 = add %13, 1.0 : f32
        yield %14
    } else {
        yield f
    }
    %15 = add %0, %2 : f32
    %16 = add %9, %15 : f32
    store x, %16, none
    %17 = addptr i, %5 : vector<8 x ptr<i32>>
    store %17, %7, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = if t : f32 {
        %1 = exp f : f32
        yield %1
    } else {
        yield f
    }
    %2 = if t : f32 {
        %3 = load x, none, none : f32
        yield %3
    } else {
        yield f
    }
    %4 = arange {start=0, end=8} : vector<8 x i32>
    %5 = if t : vector<8 x i32> {
        %6 = mul %4, %4 : vector<8 x i32>
        yield %6
    } else {
        yield %4
    }
    %7 = if t : i32 {
        %8 = sum %4 : i32
        yield %8
    } else {
        yield 0
    }
    %9 = if t : f32 {
        %10 = add f, 1.0 : f32
        %11 = mul %10, %10 : f32
        %12 = add %11, 1.0 : f32
        %13 = mul %12, %12 : f32
        %14 = add %13, 1.0 : f32
        yield %14
    } else {
        yield f
    }
    %15 = add %0, %2 : f32
    %16 = add %9, %15 : f32
    store x, %16, none
    %17 = addptr i, %5 : vector<8 x ptr<i32>>
    store %17, %7, none
}
