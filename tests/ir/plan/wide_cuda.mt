; run: --emit plan  ; error: CUDA lowering requires a vector width of 1 to 1024, got: 4096
kernel wide(x: ptr<f32>) layout=lane {
    %0 = arange {start=0, end=4096} : vector<4096 x i32>
    %1 = addptr x, %0 : vector<4096 x ptr<f32>>
    store %1, 1.0, none
}
